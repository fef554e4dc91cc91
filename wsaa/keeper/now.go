package keeper

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fielato/fielato/wsaa/client"
)

// askedPause is the least pause between an attempt that was refused and one that a person asks for. It
// bounds what somebody who asks in a loop can cost the login service.
const askedPause = 5 * time.Second

// ErrWindow: the login service gave a ticket a moment ago, and gives no other one yet.
var ErrWindow = errors.New("the login service gave a ticket a moment ago, and gives no other one within its window (coe.alreadyAuthenticated)")

// PausedError is why a login that was asked for has not begun. It begins by itself at Next.
type PausedError struct {
	// Cause is ErrWindow, or the failure that the pause follows.
	Cause error
	// Next is when the login begins, by the authority's clock.
	Next time.Time
}

// Error implements error.
func (e *PausedError) Error() string {
	return fmt.Sprintf("the login begins at %s, not before: %v", e.Next.UTC().Format(time.RFC3339), e.Cause)
}

// Unwrap returns the cause.
func (e *PausedError) Unwrap() error { return e.Cause }

// LogIn lets a login begin now: somebody has mended the cause of the last failure, or wants a ticket that
// knows a new delegation. It ends the pause after a failure, and the wait for the renewal of the ticket at
// hand. The limits of the login service still hold: its window after a ticket or after
// coe.alreadyAuthenticated, and a minute after a fault that passes by itself. The login begins as soon as
// they are over. After any other failure five seconds must have passed.
//
// It waits for the login until the context ends, and returns nil if there is a new ticket. If the login
// has failed, the error is an *UnavailableError. If it has not begun, or not ended, it is a
// *PausedError, and comes at once if the context ends too early to wait. After Close it is ErrClosed.
func (k *Keeper) LogIn(ctx context.Context) error {
	k.ask()
	for {
		done, changed, err := k.answer(ctx)
		if done {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			done, _, err := k.answer(ctx)
			if !done && err == nil {
				err = &PausedError{errLogin, k.now()}
			}
			return err
		}
	}
}

// ask notes that a login is wanted, and wakes the goroutine.
func (k *Keeper) ask() {
	k.mu.Lock()
	k.asked, k.untold = k.now(), true
	if f := k.failure; f != nil && f.Code == CodeStore {
		k.failure = nil // it is asked again now
	}
	k.hasten()
	k.tell()
	k.mu.Unlock()
	k.rouse()
}

// answer returns what became of the login that was asked for. done: there is nothing to wait for, as far
// as the context waits. Otherwise err says what it waits for, nil for the login under way.
func (k *Keeper) answer(ctx context.Context) (done bool, changed <-chan struct{}, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f, now := k.failure, k.now()
	switch {
	case k.closed:
		return true, k.changed, ErrClosed
	case f != nil && (k.asked.IsZero() || f.Code == CodeStore):
		return true, k.changed, k.unavailable(f.Err, f.Next.Sub(now))
	case k.asked.IsZero():
		return true, k.changed, nil
	}
	next, cause := k.earliest(), ErrWindow
	if f != nil && !k.floor.Before(next) {
		cause = f.Err
	}
	wait := next.Sub(now)
	if wait <= 0 {
		return false, k.changed, nil
	}
	deadline, bounded := ctx.Deadline()
	return bounded && wait > time.Until(deadline), k.changed, &PausedError{cause, next}
}

// rouse lets the goroutine look at once.
func (k *Keeper) rouse() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// earliest returns when a login may begin that a person asks for, by the authority's clock. The caller
// holds mu.
func (k *Keeper) earliest() time.Time {
	granted := k.granted
	if now := k.now(); granted.After(now) { // by a clock that was wrong
		granted = now
	}
	if granted.IsZero() {
		return k.floor
	}
	return later(k.floor, granted.Add(k.config.Window))
}

// floorAfter returns when a login may begin at the earliest that a person asks for, after a failure.
// next is when it would begin by itself. wasReached: the login service may have got the message.
func floorAfter(advice client.Advice, wasReached bool, at, next time.Time) time.Time {
	least := at.Add(askedPause)
	switch {
	case advice == client.Wait:
		return next
	case advice == client.Retry && wasReached:
		least = at.Add(shortestPause)
	}
	if next.Before(least) {
		return next
	}
	return least
}

// hasten brings forward what waits for a person who asks, if somebody has. The caller holds mu.
func (k *Keeper) hasten() {
	if k.asked.IsZero() {
		return
	}
	next := later(k.earliest(), k.asked)
	if f := k.failure; f != nil && !f.At.After(k.asked) && next.Before(f.Next) {
		sooner := *f
		sooner.Next = next
		k.failure = &sooner
	}
	if h := k.held.Load(); h != nil && next.Before(h.due) {
		sooner := *h
		sooner.due = next
		k.held.Store(&sooner)
	}
}

// tellAsked tells about a login that was asked for.
func (k *Keeper) tellAsked() {
	k.mu.Lock()
	untold := k.untold
	k.untold = false
	next := k.earliest()
	k.mu.Unlock()
	if untold {
		k.observe(Event{Kind: Asked, Next: later(next, k.now())})
	}
}
