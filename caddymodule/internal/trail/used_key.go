package trail

import (
	"errors"
	"fmt"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/signingkey"
)

// checkMissing returns an error if the key has signed a log, and the file of its store is not there.
func checkMissing(keys signingkey.Source, opener StoreOpener) error {
	file, ok := opener.(FileOpener)
	if !ok {
		return nil
	}
	if err := keys.CheckMissing(file.File()); err != nil {
		return fmt.Errorf("opening the audit store %s: %w", opener.Address(), err)
	}
	return nil
}

// keepUsed notes that the key has signed the log. A folder that cannot be written does not keep a gateway from starting.
func keepUsed(keys signingkey.Source, verifier, log string) {
	if err := keys.KeepUsed(verifier, log); err != nil {
		trailLogger().Warn("it could not be noted that the key has signed the log: a later start will not notice if the database is lost",
			zap.String("log", log), zap.Error(err))
	}
}

// advised returns the error of a log that does not open, with the way to mend one that is not sound.
func advised(err error) error {
	switch {
	case errors.Is(err, audit.ErrCopyUnfinished):
		return fmt.Errorf("%w: run the audit copy that began it again", err)
	case !errors.Is(err, audit.ErrUnsound):
		return err
	}
	return fmt.Errorf("%w: keep what is there, and restore the newest backup; `fielato wsfev1 audit verify` shows what is wrong", err)
}
