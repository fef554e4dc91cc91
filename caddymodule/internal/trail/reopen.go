package trail

import (
	"context"
	"errors"
	"fmt"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
)

// Spent reports whether the trail accepts no more records: this process was stopped or cut off
// from the store for longer than its claim lasted, and another process of the same name has
// written the log in between. What this trail remembers of the log is out of date.
func (t *Trail) Spent() bool { return t.claimed != nil && t.overtaken.Load() }

// Reopening returns the function that opens a spent trail again, as a start would: the log's open
// intents are settled first. The backlog of the spent trail is reported when that is closed.
func Reopening(open func(ctx context.Context, before *Trail) (*Trail, error)) func(context.Context, *Trail) (*Trail, error) {
	return func(ctx context.Context, spent *Trail) (*Trail, error) {
		logger := trailLogger().With(zap.String("log", spent.Log))
		// The claim excludes this process too. If it cannot be released, it expires, and
		// open waits for that.
		_ = spent.claimed.Release(ctx)
		t, err := open(ctx, spent)
		switch {
		case err == nil:
			logger.Warn("another process of this name has written the log; the log was opened again, and this gateway continues")
		case errors.Is(err, errShortened):
			if !spent.shortened.Swap(true) { // tried again at each request, said once
				logger.Error("the log has lost records that this gateway has written: it records and sends nothing more until they are back", zap.Error(err))
			}
		case ctx.Err() == nil:
			logger.Error("another process has written the log, and it could not be opened again: retrying", zap.Error(err))
		}
		return t, err
	}
}

// errShortened: the log does not hold what it held for this process.
var errShortened = errors.New("the database has lost acknowledged records: put its newest copy back, or the server that had them")

// checkGoesOn checks that a log holds all that it held for this trail: a server that has lost
// its newest records must not be written on as if nothing had happened.
func (t *Trail) checkGoesOn(ctx context.Context, store audit.Store) error {
	head, err := store.Head(ctx, t.Log)
	if err != nil {
		return fmt.Errorf("reading the head of log %q: %w", t.Log, err)
	}
	older, err := audit.OpenCheckpoint(t.Checkpoint(), t.publicKey)
	if err != nil {
		return fmt.Errorf("reading the checkpoint that this process has written: %w", err)
	}
	if head.Checkpoint == nil {
		return fmt.Errorf("log %q had %d records and is empty now: %w", t.Log, older.Size, errShortened)
	}
	newer, err := audit.OpenCheckpoint(head.Checkpoint, t.publicKey)
	if err != nil {
		return fmt.Errorf("reading the newest checkpoint: %w", err)
	}
	switch err := audit.CheckExtension(ctx, store, t.Log, older, newer); {
	case errors.Is(err, audit.ErrUnsound):
		return fmt.Errorf("log %q had %d records and has %d now: %w: %w", t.Log, older.Size, newer.Size, errShortened, err)
	case err != nil:
		return fmt.Errorf("comparing log %q with what this process has written: %w", t.Log, err)
	}
	return nil
}
