package audit

import (
	"context"
	"fmt"
	"strconv"
)

// ErrCopyUnfinished: the log is a copy that lacks records. It wraps ErrUnsound.
var ErrCopyUnfinished = fmt.Errorf("%w: its copy is not finished", ErrUnsound)

// copyingSetting is the name of the setting that says how many records a copy is to have. It comes before the first
// one: without it, half a copy is a log that somebody has cut off. It proves nothing, so a log that has it and ends
// too early is as little sound as one without it.
func copyingSetting(log string) string { return "copying/" + log }

// note keeps how many records the copy is to have.
func (c *copyRun) note(ctx context.Context) error {
	if c.noted {
		return nil
	}
	if err := c.To.SetSetting(ctx, copyingSetting(c.Log), strconv.AppendUint(nil, c.goal.Size, 10)); err != nil {
		return fmt.Errorf("noting that log %q is being copied: %w", c.Log, err)
	}
	c.noted = true
	return nil
}

// forget says that the copy has all records.
func (c *copyRun) forget(ctx context.Context) error {
	kept, err := c.To.Setting(ctx, copyingSetting(c.Log))
	if err == nil && len(kept) > 0 {
		err = c.To.SetSetting(ctx, copyingSetting(c.Log), nil)
	}
	if err != nil {
		return fmt.Errorf("noting that log %q is copied: %w", c.Log, err)
	}
	return nil
}

// IsUnfinishedCopy reports whether a log that ends before its checkpoint is a copy that was begun and not finished:
// another run of Copy adds the missing records. A log that has got a later checkpoint since is none.
func IsUnfinishedCopy(ctx context.Context, store Store, log string, checkpoint Checkpoint) (bool, error) {
	kept, err := store.Setting(ctx, copyingSetting(log))
	if err != nil {
		return false, fmt.Errorf("reading whether log %q is being copied: %w", log, err)
	}
	size, err := strconv.ParseUint(string(kept), 10, 63)
	return err == nil && size >= checkpoint.Size, nil
}

// wrongSize returns the error of a log that has another size than its checkpoint says.
func wrongSize(ctx context.Context, store Store, log string, head Head, checkpoint Checkpoint) error {
	if head.Size < checkpoint.Size {
		unfinished, err := IsUnfinishedCopy(ctx, store, log, checkpoint)
		if err != nil {
			return err
		}
		if unfinished {
			return fmt.Errorf("%w: it has %d of the %d records of log %q", ErrCopyUnfinished, head.Size, checkpoint.Size, log)
		}
	}
	return fmt.Errorf("%w: log %q has %d records, its checkpoint says %d", ErrUnsound, log, head.Size, checkpoint.Size)
}
