package verify

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/fielato/fielato/audit"
)

// checkVerifier refuses a text that is no public key. Its name need not be the log's: a gateway
// may be given any key.
func checkVerifier(verifier string) error {
	if _, err := note.NewVerifier(verifier); err != nil {
		return fmt.Errorf("public key %q: %w", verifier, err)
	}
	return nil
}

// openKept reads the checkpoint that the options name.
func (v *verification) openKept() error {
	kept, err := audit.OpenKeptCheckpoint(v.options.Kept, v.report.Verifier, v.log)
	if errors.Is(err, audit.ErrUnsound) {
		v.flaw(audit.Flaw{Kind: audit.FlawKept, Detail: err.Error()})
		return nil
	}
	if err == nil {
		v.report.Kept = &kept
		v.tree.kept = append(v.tree.kept, &keptCheckpoint{Checkpoint: kept, name: "the checkpoint that was kept"})
	}
	return err
}

// openCosigned reads the newest cosigned checkpoint that the store has. It comes before the head is read: behind it
// a gateway at work may have one of a later moment.
func (v *verification) openCosigned(ctx context.Context) error {
	cosigned, signed, err := audit.Cosigned(ctx, v.store, v.log, v.report.Verifier)
	if errors.Is(err, audit.ErrDamaged) {
		v.flaw(audit.Flaw{Kind: audit.FlawDamaged, Detail: err.Error()})
		return nil
	}
	if signed != nil {
		v.report.Cosigned, v.report.CosignedNote = &cosigned, signed
		v.tree.kept = append(v.tree.kept, &keptCheckpoint{Checkpoint: cosigned, name: "the cosigned checkpoint in the store"})
	}
	return err
}

// compareKept finds out whether the log is an extension of the checkpoints that were kept.
func (v *verification) compareKept(ctx context.Context) error {
	for _, kept := range v.tree.kept {
		if err := v.compareWith(ctx, kept); err != nil {
			return err
		}
	}
	return nil
}

func (v *verification) compareWith(ctx context.Context, kept *keptCheckpoint) error {
	if kept.root != nil && *kept.root == kept.Root {
		return nil
	}
	if kept.Size > v.end {
		v.flaw(audit.Flaw{
			Kind: audit.FlawCutOff, First: v.end, Next: kept.Size,
			Detail: fmt.Sprintf("%s is over %d records: an older copy of the log was put back, or its end removed", kept.name, kept.Size),
		})
		return nil
	}
	if v.report.Flaws.Count > 0 && kept.Size > 0 {
		// Earlier records may have been changed while the hashes are still the original ones. Where
		// the hashes are missing as well, nothing can be compared, and that was reported.
		root, err := tlog.TreeHash(int64(kept.Size), audit.HashReader(ctx, v.store, v.log, v.end))
		if isUnsound(err) || err == nil && root == kept.Root {
			return nil
		}
		if err != nil {
			return fmt.Errorf("comparing with %s: %w", kept.name, err)
		}
	}
	v.flaw(audit.Flaw{
		Kind:   audit.FlawKept,
		Detail: fmt.Sprintf("the log is not an extension of %s: its first %d records are different ones", kept.name, kept.Size),
	})
	return nil
}

// Consistency proves by the store's hashes that the newer of two signed checkpoints of a log is
// an extension of the older one (RFC 6962, section 2.1.2): the log was only appended to in
// between. It returns both.
//
// An error that wraps ErrUnsound means that this is not so, or that the log has fewer records
// than the newer one is over. Other errors leave it open.
func Consistency(ctx context.Context, store audit.Store, log, verifier string, older, newer []byte) (from, to audit.Checkpoint, err error) {
	if err := checkVerifier(verifier); err != nil {
		return from, to, err
	}
	if from, err = audit.OpenKeptCheckpoint(older, verifier, log); err != nil {
		return from, to, fmt.Errorf("the older checkpoint: %w", err)
	}
	if to, err = audit.OpenKeptCheckpoint(newer, verifier, log); err != nil {
		return from, to, fmt.Errorf("the newer checkpoint: %w", err)
	}
	if from.Size > to.Size {
		return from, to, fmt.Errorf("the older checkpoint is over %d records, the newer over %d: give them the other way round", from.Size, to.Size)
	}
	head, err := store.Head(ctx, log)
	if err != nil {
		return from, to, fmt.Errorf("reading the head of log %q: %w", log, err)
	}
	if head.Size < to.Size {
		return from, to, fmt.Errorf("%w: log %q has %d records, the newer checkpoint is over %d", audit.ErrUnsound, log, head.Size, to.Size)
	}
	return from, to, proveTree(audit.HashReader(ctx, store, log, head.Size), from, to)
}

func proveTree(reader tlog.HashReader, from, to audit.Checkpoint) error {
	empty, _ := tlog.TreeHash(0, nil) // reads nothing, so that it cannot fail
	if from.Size == 0 {
		if from.Root != empty {
			return fmt.Errorf("%w: the root %s of the older checkpoint is not that of an empty log", audit.ErrUnsound, from.Root)
		}
		return nil // every log is an extension of the empty one
	}
	proof, err := tlog.ProveTree(int64(to.Size), int64(from.Size), reader)
	if err != nil {
		if isUnsound(err) && !errors.Is(err, audit.ErrUnsound) {
			err = fmt.Errorf("%w: %w", audit.ErrUnsound, err)
		}
		return fmt.Errorf("proving that %d records extend %d: %w", to.Size, from.Size, err)
	}
	if err := tlog.CheckTree(proof, int64(to.Size), to.Root, int64(from.Size), from.Root); err != nil {
		return fmt.Errorf("%w: by the store's hashes, the log with %d records is not an extension of the one with %d: %w", audit.ErrUnsound, to.Size, from.Size, err)
	}
	return nil
}
