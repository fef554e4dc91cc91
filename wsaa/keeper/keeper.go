package keeper

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fielato/fielato/wsaa/client"
	"github.com/fielato/fielato/wsfev1"
)

// Keeper keeps the ticket of one certificate and one service. It is safe for concurrent use.
type Keeper struct {
	config Config
	// name is the entry's name in the store, holder this Keeper's name in leases. began is when it was made.
	name, holder string
	began        time.Time

	// held is the ticket at hand, nil for none. skew is how far the authority's clock is ahead, in
	// nanoseconds. Both are written by the goroutine alone, but for Refused and LogIn, under mu.
	held atomic.Pointer[heldTicket]
	skew atomic.Int64

	mu sync.Mutex // guards the rest
	// changed is closed, and replaced, when something here or in held has changed.
	changed chan struct{}
	failure *Failure
	// measured: a login has measured skew.
	measured bool
	// refusal: no event has told yet of a ticket that the service has refused.
	refusal bool
	// granted is when the last ticket was given that is known here.
	granted time.Time
	// asked is when a person has asked for a login that has not ended yet, zero for none. untold: no
	// event has told of it. floor is when such a login may begin at the earliest, as far as the failures
	// demand it.
	asked, floor    time.Time
	untold          bool
	started, closed bool

	// The rest belongs to the goroutine. unsaved: the ticket at hand is not in the store.
	unsaved bool
	// seen is the entry that the last look found in the store. looked: there was a look. foreign: the entry
	// cannot be read.
	seen            []byte
	looked, foreign bool
	// storeFailures counts those in a row.
	storeFailures int
	// toldSkew is the skew of the last event about it.
	toldSkew time.Duration

	wake chan struct{} // makes the goroutine look at once
	stop chan struct{} // closed by Close
	done chan struct{} // closed when the goroutine has ended
	// hard ends a login that Close does not wait for, by cut.
	hard context.Context
	cut  context.CancelFunc
}

// now returns the time by the authority's clock.
func (k *Keeper) now() time.Time { return k.config.Clock().Add(time.Duration(k.skew.Load())) }

// usable returns the ticket at hand, nil if there is none or it ends soon.
func (k *Keeper) usable() *heldTicket {
	if h := k.held.Load(); h != nil && h.usableAt(k.config.Clock().UnixNano()+k.skew.Load()) {
		return h
	}
	return nil
}

// Ticket returns the ticket, for a request of one of the configured CUITs. It does not end within the
// next ten minutes. The caller must not change it.
//
// Without a ticket it waits for the login under way until the context ends. The error is an
// *UnavailableError, a *NotRepresentedError, or ErrClosed. That the CUIT is a configured one is for
// the caller to check: a Set does.
func (k *Keeper) Ticket(ctx context.Context, cuit wsfev1.CUIT) (*client.Ticket, error) {
	if h := k.usable(); h != nil {
		return h.of(k, cuit)
	}
	return k.await(ctx, cuit)
}

// await is Ticket without a ticket at hand.
func (k *Keeper) await(ctx context.Context, cuit wsfev1.CUIT) (*client.Ticket, error) {
	for {
		k.mu.Lock()
		failure, closed, changed := k.failure, k.closed, k.changed
		k.mu.Unlock()
		switch h := k.usable(); {
		case h != nil:
			return h.of(k, cuit)
		case closed:
			return nil, ErrClosed
		case failure != nil:
			return nil, k.unavailable(failure.Err, k.untilTicket(failure))
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, k.unavailable(fmt.Errorf("%w: %w", errLogin, ctx.Err()), 0)
		}
	}
}

// untilTicket returns how long it is until there may be a ticket after a failure: until the next attempt, or
// until one that the service has refused is given again.
func (k *Keeper) untilTicket(after *Failure) time.Duration {
	now := k.now()
	wait := after.Next.Sub(now)
	if h := k.held.Load(); h != nil && now.UnixNano() < h.fromNano && h.fromNano < h.untilNano {
		wait = min(wait, time.Duration(h.fromNano-now.UnixNano()))
	}
	return wait
}

// unavailable returns why there is no ticket. retry is until the next attempt.
func (k *Keeper) unavailable(cause error, retry time.Duration) *UnavailableError {
	return &UnavailableError{cause, k.config.Credential.Identity(), max(retry, time.Second)}
}

// Refused reports that the service has refused the ticket itself: its signature or its dates, not
// what it was used for. Another one is asked for as soon as the login service gives one. Until then this one is
// given again after a pause, of five seconds at first and a minute at most.
func (k *Keeper) Refused(ticket *client.Ticket) {
	k.mu.Lock()
	h, now := k.held.Load(), k.now()
	if h == nil || h.ticket.Token != ticket.Token || !h.usableAt(now.UnixNano()) {
		k.mu.Unlock()
		return
	}
	k.held.Store(h.aside(now))
	k.refusal = true
	granted := k.granted
	if granted.After(now) { // by a clock that was wrong
		granted = now
	}
	next := later(now, granted.Add(k.config.Window))
	if k.failure != nil { // of an attempt to renew it
		next = later(next, k.failure.Next)
	}
	k.failure = &Failure{Code: CodeRefused, Err: ErrRefused, At: now, Next: next, Count: k.failed()}
	k.tell()
	k.mu.Unlock()
	k.rouse()
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// tell wakes those that wait for a change. The caller holds mu.
func (k *Keeper) tell() {
	close(k.changed)
	k.changed = make(chan struct{})
}

// Start begins to keep the ticket. A second Start does nothing.
func (k *Keeper) Start() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.started && !k.closed {
		k.started = true
		k.run()
	}
}

// errCut: a Close did not wait long enough.
var errCut = errors.New("a login was cut off: its ticket, if there is one, is lost, and there may be no other for some minutes")

// Close ends the goroutine. It waits for a login under way until the context ends: its ticket would
// be lost. The ticket at hand goes on being given until it ends.
func (k *Keeper) Close(ctx context.Context) error {
	defer k.cut()
	if !k.halt() {
		return nil
	}
	select {
	case <-k.done:
		return nil
	case <-ctx.Done():
		k.cut()
		<-k.done
		return fmt.Errorf("closing the keeper of a ticket: %w: %w", errCut, ctx.Err())
	}
}

// halt lets the goroutine end, and reports whether there is one.
func (k *Keeper) halt() (started bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.closed {
		k.closed = true
		close(k.stop)
		k.tell()
	}
	return k.started
}
