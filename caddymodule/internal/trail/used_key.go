package trail

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
)

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
// second history would carry its signature, and invoices of the first one could be issued again.
// In a shared store that must have been a log of the same name.
func (s KeySource) checkUnused(log string, shared bool) error {
	isKey, err := s.matcher()
	if err != nil {
		return nil //nolint:nilerr // there is no key yet; Open says what is wrong with one
	}
	if !shared {
		log = ""
	}
	if name := s.used.Find(isKey, log); name != "" {
		return fmt.Errorf("there is no log, but %s says that the key %s has signed one, %s: %w", s.used, s.named(), name, errUsed)
	}
	return nil
}

// CheckUnused returns an error if the key that the option key names has signed a log already: one
// of this name, any for none. fallback is the store's own file.
func CheckUnused(option, fallback, log string) error {
	source, err := newKeySource(option, fallback)
	if err != nil {
		return err
	}
	return source.checkUnused(log, log != "")
}

// keepUsed notes that the key has signed the log. It runs after the first checkpoint is durable. A
// folder that cannot be written does not keep a gateway from starting.
func (s KeySource) keepUsed(verifier, log string) {
	if err := s.used.Keep(verifier, log); err != nil {
		trailLogger().Warn("it could not be noted that the key has signed the log: a later start will not notice if the database is lost",
			zap.String("log", log), zap.Error(err))
	}
}

// advised returns the error of a log that does not open, with what to do about one that is not sound.
func advised(err error) error {
	if !errors.Is(err, audit.ErrUnsound) {
		return err
	}
	return fmt.Errorf("%w: keep what is there, and restore the newest backup; `fielato wsfev1 audit verify` shows what is wrong", err)
}
