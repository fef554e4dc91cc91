package signingkey

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// errUsed: the key has signed a log, and there is none.
var errUsed = errors.New("was the database lost, is its disk not mounted, or is the path another one? Restore the database from its backup. " +
	"To begin a new log on purpose, move the key away and keep it, or give another key")

// CheckMissing is CheckUnused for a store whose file is not there, before an empty one is made.
func (s Source) CheckMissing(file string) error {
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return s.CheckUnused("", false)
}

// CheckUnused returns an error if the key has already signed a log, though this one is new: a
// second history would carry its signature, and invoices of the first one could be issued again.
// In a shared store that must have been a log of the same name.
func (s Source) CheckUnused(log string, shared bool) error {
	isKey, err := s.Matcher()
	if err != nil {
		return nil //nolint:nilerr // there is no key yet; Open says what is wrong with one
	}
	if !shared {
		log = ""
	}
	if name := s.used.Find(isKey, log); name != "" {
		return fmt.Errorf("there is no log, but %s says that the key %s has signed one, %s: %w", s.used, s.Named(), name, errUsed)
	}
	return nil
}

// CheckUnused returns an error if the key that the option key names has signed a log already: one
// of this name, any for none. fallback is the store's own file.
func CheckUnused(option, fallback, log string) error {
	source, err := New(option, fallback)
	if err != nil {
		return err
	}
	return source.CheckUnused(log, log != "")
}

// KeepUsed notes that the key has signed the log. It runs after the first checkpoint is durable.
func (s Source) KeepUsed(verifier, log string) error { return s.used.Keep(verifier, log) }
