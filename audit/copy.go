package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
)

var (
	// ErrCopySealed: content is encrypted and cannot be read. Open the source with its
	// ContentKey.
	ErrCopySealed = errors.New("its content is encrypted: it can only be copied with the encryption key of the trail")
	// ErrCopyPurged: the target takes no records whose content was purged (PurgedTaker).
	ErrCopyPurged = errors.New("its content was purged, and the store that is copied to cannot take over purged records")
	// ErrCopyOther: the target has a log of this name that holds something else.
	ErrCopyOther = errors.New("the store that is copied to has another log of this name")
)

// PurgedTaker is an optional part of a Store: it takes over records whose content was purged
// elsewhere.
type PurgedTaker interface {
	// TakesPurged reports whether Commit keeps an entry whose Form is Purged: it stores the summary
	// and the leaf as for any other entry, and returns Purged whenever the entry is read. Values
	// that only the content holds cannot be searched for.
	TakesPurged() bool
}

// Copy copies a log from one store to another, as it is: every form byte for byte, and the
// newest checkpoint with its signature. Each proof and each kept checkpoint is valid for the
// copy too, and the private key can continue it.
type Copy struct {
	From, To Store
	Log      string
	// Verifier is the public key that the log is signed with.
	Verifier string
	// Progress is called after each batch with the records that the copy has, and is to have;
	// nil for none.
	Progress func(done, total uint64)
}

// Run copies all records that the newest checkpoint covers, and returns that checkpoint.
// Neither log may be written to while it runs. The stores open and seal content, each with
// its own key.
//
// Another run continues an interrupted copy. Until the last record is copied, the checkpoint
// covers more records than the copy has: Open refuses it (ErrCopyUnfinished), and verify.Log
// reports it (FlawUnfinished).
//
// Run checks only that the records give the signed root: verify the copy. Errors wrap
// ErrCopyOther, ErrCopySealed or ErrCopyPurged, and ErrUnsound where the source is not what was
// signed.
func (c *Copy) Run(ctx context.Context) (Checkpoint, error) {
	run := &copyRun{Copy: c}
	if err := run.begin(ctx); err != nil {
		return Checkpoint{}, err
	}
	if err := run.records(ctx); err != nil {
		return Checkpoint{}, err
	}
	return run.goal, run.finish(ctx)
}

// copyRun is one run of a Copy.
type copyRun struct {
	*Copy
	takesPurged bool
	// signed is the checkpoint of the log, goal its parsed form.
	signed []byte
	goal   Checkpoint
	// there is the checkpoint that the copy has, nil for none.
	there []byte
	// noted: the store that is copied to says that a copy was begun.
	noted bool
	// tree is the tree of the copy, including the batch.
	tree  *Tree
	batch Batch
	bytes int // of the forms in batch
}

// begin finds out where the copy ends, and checks that it is a copy of this log.
func (c *copyRun) begin(ctx context.Context) error {
	if taker, ok := c.To.(PurgedTaker); ok {
		c.takesPurged = taker.TakesPurged()
	}
	head, err := c.From.Head(ctx, c.Log)
	if err != nil {
		return fmt.Errorf("reading the head of log %q: %w", c.Log, err)
	}
	if c.goal, err = OpenLogCheckpoint(head.Checkpoint, c.Verifier, c.Log); err != nil {
		return err
	}
	if c.goal.Size != head.Size {
		return fmt.Errorf("%w: log %q has %d records, its checkpoint is over %d", ErrUnsound, c.Log, head.Size, c.goal.Size)
	}
	c.signed = head.Checkpoint
	copied, err := c.To.Head(ctx, c.Log)
	if err != nil {
		return fmt.Errorf("reading the head of the copy of log %q: %w", c.Log, err)
	}
	if c.tree, err = ReadTree(ctx, c.To, c.Log, copied.Size); err != nil {
		return err
	}
	if c.there = copied.Checkpoint; c.there != nil || copied.Size > 0 {
		if err := c.compare(ctx); err != nil {
			return err
		}
	}
	c.batch = Batch{Log: c.Log, First: c.tree.Size(), Checkpoint: c.signed}
	return nil
}

// compare checks that the log extends the records of the copy, and the checkpoint of the copy.
func (c *copyRun) compare(ctx context.Context) error {
	signed, err := OpenLogCheckpoint(c.there, c.Verifier, c.Log)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCopyOther, err)
	}
	for _, older := range []Checkpoint{{Origin: c.goal.Origin, Size: c.tree.Size(), Root: c.tree.Root()}, signed} {
		if older.Size > c.goal.Size {
			return fmt.Errorf("%w: it has %d records, or was to have them, and the one that is copied has %d: the copy has been continued, or an older log is copied",
				ErrCopyOther, older.Size, c.goal.Size)
		}
		if err := CheckExtension(ctx, c.From, c.Log, older, c.goal); err != nil {
			if errors.Is(err, ErrUnsound) {
				return fmt.Errorf("%w: %w", ErrCopyOther, err)
			}
			return err
		}
	}
	return nil
}

// records copies the missing records, except for a last batch, which finish commits.
func (c *copyRun) records(ctx context.Context) error {
	if c.tree.Size() == c.goal.Size {
		return nil
	}
	for piece, err := range c.From.Scan(ctx, c.Log, c.tree.Size()) {
		if err != nil {
			return fmt.Errorf("reading log %q: %w", c.Log, err)
		}
		if piece.First > c.tree.Size() {
			break // finish reports it
		}
		forms, err := piece.Unpack()
		if err != nil {
			return fmt.Errorf("reading log %q: %w", c.Log, err)
		}
		for i, form := range forms {
			index := piece.First + uint64(i)
			if index < c.tree.Size() || index >= c.goal.Size {
				continue
			}
			if err := c.add(form); err != nil {
				return fmt.Errorf("record %d of log %q: %w", index, c.Log, err)
			}
			full := len(c.batch.Entries) == defaultBatch || c.bytes >= maxBatchBytes
			if full && c.tree.Size() < c.goal.Size {
				if err := c.commit(ctx); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// add puts a record into the batch.
func (c *copyRun) add(form Form) error {
	switch {
	case form.Presence == Sealed:
		return ErrCopySealed
	case form.Presence == Purged && !c.takesPurged:
		return ErrCopyPurged
	}
	record, err := Decode(form)
	if err != nil {
		return err
	}
	entry := Entry{Index: c.tree.Size(), Form: form, Leaf: form.Leaf(), Record: record}
	c.batch.Entries = append(c.batch.Entries, entry)
	c.batch.Tiles = c.tree.Add(entry.Leaf, c.batch.Tiles)
	c.bytes += form.Len()
	return nil
}

func (c *copyRun) commit(ctx context.Context) error {
	if c.tree.Size() < c.goal.Size { // the last batch makes it whole
		if err := c.note(ctx); err != nil {
			return err
		}
	}
	if err := c.To.Commit(ctx, c.batch); err != nil {
		return fmt.Errorf("writing the copy of log %q: %w", c.Log, err)
	}
	c.batch = Batch{Log: c.Log, First: c.tree.Size(), Checkpoint: c.signed}
	c.bytes = 0
	if c.Progress != nil {
		c.Progress(c.tree.Size(), c.goal.Size)
	}
	return nil
}

// finish makes the copy whole, if its records are those that were signed.
func (c *copyRun) finish(ctx context.Context) error {
	switch {
	case c.tree.Size() != c.goal.Size:
		return fmt.Errorf("%w: record %d of log %q is missing", ErrUnsound, c.tree.Size(), c.Log)
	case c.tree.Root() != c.goal.Root:
		return fmt.Errorf("%w: the records of log %q give the root %s, its checkpoint says %s", ErrUnsound, c.Log, c.tree.Root(), c.goal.Root)
	case len(c.batch.Entries) == 0 && bytes.Equal(c.there, c.signed):
		return c.forget(ctx) // it was whole before
	}
	if err := c.commit(ctx); err != nil {
		return err
	}
	return c.forget(ctx)
}
