package cosigned

import (
	"context"
	"errors"
	"fmt"

	"go.uber.org/zap"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/sentinel"
)

// prove returns the proof that the log with newer records continues the one with older records. It is empty if there
// is nothing to prove.
func (k *Keeper) prove(ctx context.Context, older, newer uint64) (tlog.TreeProof, error) {
	if older == 0 || older == newer {
		return nil, nil
	}
	return tlog.ProveTree(int64(newer), int64(older), audit.HashReader(ctx, k.log.Store, k.log.Name, newer))
}

// judge compares the log with a checkpoint that its own key and a witness have signed. If the log does not continue
// it, the log is contradicted from now on, the checkpoint is kept beside the private key, and the error wraps
// audit.ErrUnsound. The log is read from the store: another process may have written it.
func (k *Keeper) judge(ctx context.Context, s Signed, by *Witness) error {
	if !audit.IsOrigin(s.Origin, k.log.Name) {
		return nil // the key signs another log too
	}
	place := k.log.Tip.Witnessed()
	where := string(place)
	if where == "" {
		where = by.address()
	}
	err := sentinel.Compare(ctx, k.log.Store, k.log.Name, k.log.Verifier, s.Checkpoint, where)
	if !errors.Is(err, audit.ErrUnsound) {
		return err
	}
	err = fmt.Errorf("the witness %s has signed this log with %d records: %w", by.Name(), s.Size, err)
	if !k.contradicted.CompareAndSwap(nil, &err) {
		return err
	}
	unkept := place.Keep(s.Note, s.Size, k.log.Name, k.log.Verifier)
	k.log.Logger.Error("a witness has signed more than this log holds, or another log: the gateway records and sends nothing more",
		zap.String("log", k.log.Name), zap.String("witness", by.Name()), zap.Uint64("signed_records", s.Size),
		zap.ByteString("checkpoint", s.Note), zap.NamedError("not_kept", unkept), zap.Error(err))
	return err
}

// Contradicted returns an error that wraps audit.ErrUnsound if there is proof that the log does not hold all that it
// held when a witness signed it. Only a start can tell that it is put right.
func (k *Keeper) Contradicted() error {
	if err := k.contradicted.Load(); err != nil {
		return *err
	}
	return nil
}
