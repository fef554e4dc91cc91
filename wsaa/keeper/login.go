package keeper

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/fielato/fielato/wsaa/client"
)

// logIn asks for a ticket and saves it. The caller has the lease.
func (k *Keeper) logIn(ctx context.Context) time.Duration {
	used := time.Duration(k.skew.Load())
	result, err := k.config.Login(ctx, k.config.Service, used)
	if result.Measured {
		k.measure(result.Skew)
	}
	if err == nil {
		err = k.unusable(result.Ticket)
	}
	if err != nil {
		return k.loginFailed(ctx, err, used)
	}
	result.Ticket.Certificate = k.config.Credential.Identity().String()
	// A ticket that began long ago would be renewed at once, and so on.
	k.install(result.Ticket, k.now().Add(max(k.config.Window, shortestPause)), true)
	k.observe(Event{Kind: LoggedIn})
	k.tellMissing()
	return k.save(ctx)
}

// measure notes how far the authority's clock is ahead.
func (k *Keeper) measure(skew time.Duration) {
	k.mu.Lock()
	k.skew.Store(int64(skew))
	k.measured = true
	k.mu.Unlock()
	if (skew-k.toldSkew).Abs() > time.Minute/2 && max(skew.Abs(), k.toldSkew.Abs()) > time.Minute {
		k.toldSkew = skew
		k.observe(Event{Kind: ClockOff})
	}
}

// unusable returns why a new ticket cannot be used, nil if it can.
func (k *Keeper) unusable(ticket *client.Ticket) error {
	switch {
	case ticket == nil:
		return errors.New("the login has given neither a ticket nor an error")
	case !k.hold(ticket).usableAt(k.now().UnixNano()):
		return fmt.Errorf("the login service gave a ticket that cannot be used: it ends at %s", ticket.Expiration.UTC().Format(time.RFC3339))
	}
	return nil
}

// install makes a ticket the one at hand. It is renewed at a moment or later, or when a person asks. own:
// it comes from a login of this Keeper, which satisfies a person who has asked for one.
func (k *Keeper) install(ticket *client.Ticket, earliest time.Time, own bool) {
	h := k.hold(ticket)
	h.due = later(h.due, earliest)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.held.Store(h)
	k.granted = later(k.granted, ticket.Generation)
	k.failure = nil
	if own || !ticket.Generation.Add(windowSlack).Before(k.asked) { // another node has just got it
		k.asked = time.Time{}
	}
	k.hasten()
	k.tell()
}

// tellMissing tells about CUITs for which the ticket at hand does not act.
func (k *Keeper) tellMissing() {
	if h := k.held.Load(); h != nil && len(h.missing) > 0 {
		k.observe(Event{Kind: Unrepresented, CUITs: h.missing})
	}
}

// loginFailed notes a failure and decides how long to pause. used is the skew with which the request
// was corrected.
func (k *Keeper) loginFailed(ctx context.Context, err error, used time.Duration) time.Duration {
	if k.hard.Err() != nil {
		return 0 // Close did not wait for it
	}
	code, advice := client.Unknown, client.Retry
	if failed, ok := errors.AsType[*client.Error](err); ok {
		code, advice = failed.Code, failed.Advice
	}
	off := (time.Duration(k.skew.Load()) - used).Abs()
	count := k.failures() + 1
	pause, reached := k.pauseAfter(advice, count, advice == client.Correct && off > time.Second), !wasNotConnected(err)
	if !reached {
		pause = k.spread(doubled(connectPause, count, longestPause))
	}
	k.attemptFailed(code, err, pause, floorAfter(advice, reached, k.now(), k.now().Add(pause)))
	k.observe(Event{Kind: LoginFailed, Code: code, Err: err, Next: k.now().Add(pause)})
	if advice != client.Correct && client.Fault(code) != nil && !k.foreign {
		// A wrong clock is this machine's own, and so is a service that cannot be reached. What another
		// key has sealed may be a good ticket of other nodes.
		if err := k.saveEntry(ctx); err != nil {
			k.observe(Event{Kind: StoreFailed, Code: CodeStore, Err: err})
		}
	}
	return min(pause, k.pollPause())
}

// failures returns how many attempts in a row have failed.
func (k *Keeper) failures() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.failed()
}

// failed is failures for a caller who holds mu. A ticket that is refused meanwhile does not begin them anew.
func (k *Keeper) failed() int {
	if k.failure == nil || k.failure.Code == CodeStore {
		return 0
	}
	return k.failure.Count
}

// fail notes a failure that is none of a login, and returns the pause.
func (k *Keeper) fail(code string, err error, pause time.Duration) time.Duration {
	count := k.failures() + 1
	k.mu.Lock()
	defer k.mu.Unlock()
	k.noteFailure(code, err, pause, count)
	return pause
}

// attemptFailed notes the failure of a login, which is what a person gets who has asked for one. floor
// is when a person may ask again, by the authority's clock.
func (k *Keeper) attemptFailed(code string, err error, pause time.Duration, floor time.Time) {
	count := k.failures() + 1
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked, k.floor = time.Time{}, later(k.floor, floor)
	k.noteFailure(code, err, pause, count)
}

// noteFailure notes the count-th failure in a row. The caller holds mu.
func (k *Keeper) noteFailure(code string, err error, pause time.Duration, count int) {
	now := k.now()
	k.failure = &Failure{Code: code, Err: err, At: now, Next: now.Add(pause), Count: count}
	k.tell()
}

const (
	// shortestPause and longestPause are those after what may pass by itself, which double.
	shortestPause = time.Minute
	longestPause  = 10 * time.Minute
	// connectPause is that after a connection that was refused, which doubles too.
	connectPause = 2 * time.Second
	// stopPause is that after what does not pass by itself: somebody may have mended it.
	stopPause = time.Hour
	// correctPause is that after a clock was found wrong, once.
	correctPause = 2 * time.Second
	// pauseSpread is by which part pauses differ.
	pauseSpread = 0.2
)

// wasNotConnected reports whether the login service was not reached at all, so that it has not been asked:
// one that is about to start, or a network that is.
func wasNotConnected(err error) bool {
	failed, ok := errors.AsType[*net.OpError](err)
	return ok && failed.Op == "dial"
}

// pauseAfter returns the pause after a failure, the count-th in a row. corrected: the next
// request has other times.
func (k *Keeper) pauseAfter(advice client.Advice, count int, corrected bool) time.Duration {
	switch {
	case corrected && count <= 2:
		return correctPause
	case advice == client.Wait:
		return k.spread(doubled(k.config.Window, count, max(longestPause, k.config.Window)))
	case advice == client.Stop:
		return k.spread(stopPause)
	}
	return k.retryPause(count)
}

func (k *Keeper) retryPause(count int) time.Duration {
	return k.spread(doubled(shortestPause, count, longestPause))
}

// doubled returns a pause that doubles with each failure.
func doubled(pause time.Duration, count int, most time.Duration) time.Duration {
	for ; count > 1 && pause < most; count-- {
		pause *= 2
	}
	return min(pause, most)
}

// spread returns a pause that is longer by a random part, so that nodes do not come together.
func (k *Keeper) spread(pause time.Duration) time.Duration {
	return pause + time.Duration(k.config.Random()*pauseSpread*float64(pause))
}
