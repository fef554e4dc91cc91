package trail

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"go.uber.org/zap"
)

// usedSuffix is the suffix of the file beside a private key in which the logs are named that the
// key has signed: a line for each, with the public key and the log's name. A key that somebody
// made by hand has none, nor has one of a first start that was interrupted.
const usedSuffix = ".used"

// usedFile returns that file for the file of a key, empty for none.
func usedFile(key string) string {
	if key == "" {
		return ""
	}
	return key + usedSuffix
}

// errUsed: the key has signed a log, and there is none.
var errUsed = errors.New("was the database lost, is its disk not mounted, or is the path another one? Restore the database from its backup. " +
	"To begin a new log on purpose, move the key away and keep it, or give another key")

// checkMissing is checkUnused for a store whose file is not there, before an empty one is made.
func (s KeySource) checkMissing(opener StoreOpener) error {
	file, ok := opener.(FileOpener)
	if !ok {
		return nil
	}
	if _, err := os.Stat(file.File()); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := s.checkUnused("", false); err != nil {
		return fmt.Errorf("opening the audit store %s: %w", opener.Address(), err)
	}
	return nil
}

// checkUnused returns an error if the key has already signed a log, though this one is new: a
// second history would carry its signature, and what the first one holds could be issued again.
// In a shared store that must have been a log of the same name.
func (s KeySource) checkUnused(log string, shared bool) error {
	verifier, err := s.verifier()
	if err != nil {
		return nil //nolint:nilerr // there is no key yet; Open says what is wrong with one
	}
	if !shared {
		log = ""
	}
	if name := s.usedAs(verifier, log); name != "" {
		return fmt.Errorf("there is no log, but %s says that the key %s has signed one, %s: %w", s.used, verifier, name, errUsed)
	}
	return nil
}

// usedAs returns the name of a log that the key has signed, empty if there is none.
func (s KeySource) usedAs(verifier, log string) string {
	text, err := os.ReadFile(s.used)
	if err != nil {
		return ""
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		key, name, _ := bytes.Cut(lines.Bytes(), []byte(" "))
		if string(key) == verifier && (log == "" || string(name) == log) {
			return string(name)
		}
	}
	return ""
}

// keepUsed notes that the key has signed the log. It runs after the first checkpoint is durable. A
// folder that is not there, or cannot be written, does not keep a gateway from starting.
func (s KeySource) keepUsed(verifier, log string) {
	if _, err := os.Stat(filepath.Dir(s.used)); s.used == "" || err != nil || s.usedAs(verifier, log) != "" {
		return
	}
	text, err := os.ReadFile(s.used)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		text = fmt.Appendf(text, "%s %s\n", verifier, log)
		err = writeWhole(s.used, string(text))
	}
	if err != nil {
		trailLogger().Warn("it could not be noted that the key has signed the log: a later start will not notice if the database is lost",
			zap.String("log", log), zap.Error(err))
	}
}

// writeWhole writes a file for the owner only, whole or not at all.
func writeWhole(file, text string) error {
	folder, name := filepath.Split(file)
	f, err := os.CreateTemp(folder, name+".*") // 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // after a rename it is not there
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}
