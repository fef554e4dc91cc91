package once

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The pauses between two looks whether another process has given a lane back.
const (
	firstLook   = 5 * time.Millisecond
	longestLook = 100 * time.Millisecond
)

// pass takes the lane from other processes, which may have it until the deadline; who
// repeats what one of them has on its way waits for that. The caller has the turn.
func (k *Keeper) pass(ctx context.Context, t *Turn, deadline time.Time) error {
	gate := k.settings.Gate
	if gate == nil {
		return nil
	}
	k.setPassing(t.lane, true)
	defer k.setPassing(t.lane, false)
	for look := firstLook; ; look = min(2*look, longestLook) {
		fresh, err := gate.enter(ctx, t.lane.name)
		switch {
		case err == nil && fresh:
			k.forgetLane(t.lane)
			return nil
		case err == nil:
			return nil
		case !errors.Is(err, errHeld):
			return k.blindly(ctx, t, err)
		}
		if k.settings.Now().After(deadline) {
			same, err := k.journal.OnItsWay(ctx, t.flight.request)
			if err != nil {
				return fmt.Errorf("%w: looking for the same request: %w", errJournal, err)
			}
			if !same {
				return fmt.Errorf("%w: %w", ErrBusy, errHeld)
			}
			deadline = k.settings.Now().Add(firstRest)
		}
		if err := k.settings.Wait(ctx, look/2+time.Duration(k.settings.Jitter()*float64(look/2))); err != nil {
			return fmt.Errorf("waiting for the series: %w", err)
		}
	}
}

func (k *Keeper) setPassing(l *lane, passing bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	l.passing = passing
}

// blindly lets a request go on without the lease, where its terms say so: the store does
// not answer.
func (k *Keeper) blindly(ctx context.Context, t *Turn, err error) error {
	if t.flight.request.Terms.Blind && ctx.Err() == nil {
		t.Blind = err
		return nil
	}
	return err
}

// forgetLane has the journal asked again: another process may have sent something since.
// What is open by this process's own doing is open still, or settled, which asking shows.
// The caller has the turn.
func (k *Keeper) forgetLane(l *lane) {
	k.mu.Lock()
	defer k.mu.Unlock()
	l.recalled, l.last, l.recent = false, 0, nil
}

// Held reports whether the lane still is this process's: if it is not, nothing may be
// sent. The caller asks when the intent is durable, and again of each part of the request
// right before it leaves: until then the process may have stood still. It may be asked
// after Leave too.
func (t *Turn) Held() bool {
	gate := t.keeper.settings.Gate
	return gate == nil || t.Blind != nil || gate.holds(t.lane.name)
}
