package audit

import (
	"context"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// CheckExtension returns nil if the log at the checkpoint newer still holds all that the
// checkpoint older covers, unchanged and in its place (RFC 6962, section 2.1.2). newer must be
// the store's checkpoint, or an older one of the same history. The signatures of both must have
// been checked before. The error wraps ErrUnsound if an older copy of the store was put back, or
// its history has changed.
func CheckExtension(ctx context.Context, store Store, log string, older, newer Checkpoint) error {
	_, err := ProveExtension(ctx, store, log, older, newer)
	return err
}

// ProveExtension returns the proof of what CheckExtension checks, the hashes of a consistency proof (RFC 6962, section
// 2.1.2). It is empty if one of the checkpoints is over no record, or both are over the same ones.
func ProveExtension(ctx context.Context, store Store, log string, older, newer Checkpoint) (tlog.TreeProof, error) {
	switch {
	case older.Origin != newer.Origin:
		return nil, fmt.Errorf("%w: one checkpoint is of %q, the other of %q", ErrUnsound, older.Origin, newer.Origin)
	case older.Size > newer.Size:
		return nil, fmt.Errorf("%w: log %q has %d records and had %d: the newest %d are gone",
			ErrUnsound, log, newer.Size, older.Size, older.Size-newer.Size)
	}
	other := fmt.Errorf("%w: the first %d of the %d records of log %q are not those that were there: this is another history",
		ErrUnsound, older.Size, newer.Size, log)
	if older.Size == 0 {
		if older.Root != new(Tree).Root() {
			return nil, other
		}
		return nil, nil
	}
	proof, err := tlog.ProveTree(int64(newer.Size), int64(older.Size), HashReader(ctx, store, log, newer.Size))
	if err != nil {
		return nil, fmt.Errorf("comparing log %q at %d with itself at %d: %w", log, newer.Size, older.Size, err)
	}
	if tlog.CheckTree(proof, int64(newer.Size), newer.Root, int64(older.Size), older.Root) != nil {
		return nil, other
	}
	return proof, nil
}
