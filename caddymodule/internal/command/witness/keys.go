package witnesscmd

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/fielato/fielato/caddymodule/internal/checkpoint"
	"github.com/fielato/fielato/caddymodule/internal/keyfile"
	"github.com/fielato/fielato/caddymodule/internal/signingkey"
	"github.com/fielato/fielato/internal/cosignature"
	"github.com/fielato/fielato/internal/witness"
)

const keyOfWitness = "the private key of the witness"

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// readKey reads the private key. A name that is given must be the key's.
func readKey(file, name string) (*cosignature.Key, error) {
	key, err := keyfile.Read(keyOfWitness, file, cosignature.ParseKey)
	if err != nil {
		return nil, err
	}
	if own := key.Verifier().Name(); name != "" && name != own {
		return nil, fmt.Errorf("--name %s: the key %s has the name %s, which cannot be changed: leave --name out, or name another file for a new key", name, file, own)
	}
	return key, nil
}

// openKey reads the private key, or makes it. The caller holds its lock. What says that it has signed nothing is
// there before the key is.
func openKey(file, name string) (*cosignature.Key, error) {
	key, err := readKey(file, name)
	if !isMissing(err) {
		return key, err
	}
	if name == "" {
		return nil, fmt.Errorf("%s is not at %s: to make one, give the witness a name with --name, such as ejemplo.com.ar/testigo", keyOfWitness, file)
	}
	if key, err = cosignature.NewKey(rand.Reader, name); err != nil {
		return nil, fmt.Errorf("--name %q: %w", name, err)
	}
	if err := witness.Begin(file, key.Verifier()); err != nil {
		return nil, err
	}
	made, err := keyfile.Make(keyOfWitness, file, []byte(key.Private()+"\n"))
	if err != nil {
		return nil, err
	}
	if !made {
		return nil, fmt.Errorf("%s was made by another program just now: start again", file)
	}
	return key, nil
}

// maxLogs is the most bytes of a file with public keys.
const maxLogs = 1 << 20

// isLog reports whether a text is a log as a witness knows it.
func isLog(text string) bool {
	_, _, err := witness.SplitLog(text)
	return err == nil
}

// logKeys reads the values of --log. An error does not quote a text that may be a private key.
func logKeys(values []string) (keys []string, err error) {
	for _, value := range values {
		if value = strings.TrimSpace(value); value == "" {
			return nil, errors.New("--log has no value: give the public key of a log, or leave it out")
		}
		if isLog(value) {
			keys = append(keys, value)
			continue
		}
		if strings.HasPrefix(value, signingkey.PrivatePrefix) {
			return nil, errors.New("--log: this is a private key: give the public one")
		}
		if strings.Count(value, "+") >= 2 {
			return nil, errors.New("--log: this has the form of a public key, but is not one of a log: was it copied whole?")
		}
		text, err := checkpoint.ReadAtMost(value, maxLogs)
		if err != nil {
			return nil, fmt.Errorf("--log: this is neither a public key of the form NAME+HASH+KEY nor a file that can be read: %w", err)
		}
		before := len(keys)
		for n, line := range strings.Split(string(text), "\n") {
			line = strings.TrimSpace(line)
			switch {
			case line == "" || strings.HasPrefix(line, "#"):
			case !isLog(line):
				return nil, fmt.Errorf("--log: line %d of %s is not the public key of a log: a line has NAME+HASH+KEY, with the origin and a space before it where that is not NAME", n+1, value)
			default:
				keys = append(keys, line)
			}
		}
		if len(keys) == before {
			return nil, fmt.Errorf("--log: %s has no public key", value)
		}
	}
	return keys, nil
}
