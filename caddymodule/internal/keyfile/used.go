package keyfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Used is the path of a file beside a private key that names the logs which the key has signed: a
// line for each, with the public key and the log's name. A key that somebody made by hand has
// none, nor has one of a first start that was interrupted. It is empty where a key has no place.
type Used string

// UsedOf returns the path for the file of a key, empty for none.
func UsedOf(key string) Used {
	if key == "" {
		return ""
	}
	return Used(key + usedSuffix)
}

const usedSuffix = ".used"

// Key returns the file of the key, empty for none.
func (u Used) Key() string { return strings.TrimSuffix(string(u), usedSuffix) }

// For returns the name of a log that the key has signed, empty if there is none. log is the name
// that it must have, empty for any.
func (u Used) For(verifier, log string) string {
	return u.Find(func(other string) bool { return other == verifier }, log)
}

// Find is For for a key that is known by something else than its public half.
func (u Used) Find(isKey func(verifier string) bool, log string) string {
	text, err := os.ReadFile(string(u))
	if err != nil {
		return ""
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		key, name, _ := bytes.Cut(lines.Bytes(), []byte(" "))
		if isKey(string(key)) && (log == "" || string(name) == log) {
			return string(name)
		}
	}
	return ""
}

// Keep notes that the key has signed the log. It does nothing where there is no folder.
func (u Used) Keep(verifier, log string) error {
	folder, name := filepath.Split(string(u))
	if _, err := os.Stat(filepath.Clean(folder)); u == "" || err != nil || u.For(verifier, log) != "" {
		return nil // nothing to do, or no place for it
	}
	text, err := os.ReadFile(string(u))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.CreateTemp(folder, name+".*") // 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // after the rename it is not there
	_, err = f.Write(fmt.Appendf(text, "%s %s\n", verifier, log))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), string(u))
}
