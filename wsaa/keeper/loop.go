package keeper

import (
	"context"
	"time"

	"github.com/fielato/fielato/internal/panics"
)

const (
	// task names the goroutine in the error of a panic.
	task = "keeping an access ticket"
	// shortestRest keeps the goroutine from spinning, whatever happens.
	shortestRest = 100 * time.Millisecond
	// longestRest is how long the goroutine rests at most: a clock may be set, and a machine be
	// suspended.
	longestRest = time.Minute
	// poll is how often the store is asked for a ticket of another node while there is none at hand,
	// and calmPoll with one that is to be renewed.
	poll     = 2 * time.Second
	calmPoll = 15 * time.Second
	// leaseTime is for how long the lease is taken. The process that has it gives up after leaseWork,
	// so that no other one begins before.
	leaseTime = time.Minute
	leaseWork = 45 * time.Second
	// storeTimeout bounds a question to the store.
	storeTimeout = 10 * time.Second
)

// run begins the goroutine. Close ends it.
func (k *Keeper) run() {
	go func() {
		defer close(k.done)
		defer panics.Catch(task, nil)
		for {
			rest := longestRest
			if err := panics.Do(task, func() error { rest = k.turn(); return nil }); err != nil {
				rest = k.retryPause(1)
				k.attemptFailed(CodePanic, err, rest, k.now().Add(askedPause))
				k.observe(Event{Kind: Panicked, Code: CodePanic, Err: err})
			}
			if !k.rest(rest) {
				return
			}
		}
	}()
}

// rest waits, and reports false if the Keeper was closed.
func (k *Keeper) rest(long time.Duration) bool {
	timer := time.NewTimer(min(max(long, shortestRest), longestRest))
	defer timer.Stop()
	select {
	case <-k.stop:
		return false
	case <-timer.C:
	case <-k.wake:
	}
	select {
	case <-k.stop:
		return false
	default:
		return true
	}
}

// turn does the work that is due, and returns how long there is none.
func (k *Keeper) turn() time.Duration {
	k.tellRefusal()
	k.tellAsked()
	if rest := k.untilDue(); rest > 0 {
		return rest
	}
	if err := k.look(); err != nil {
		return k.storeFailed(err)
	}
	if rest := k.untilDue(); rest > 0 {
		return rest
	}
	if pause := k.untilNext(); pause > 0 {
		return min(pause, k.pollPause())
	}
	return k.lead()
}

// untilDue returns how long nothing is to be done, nothing or less if there is something.
func (k *Keeper) untilDue() time.Duration {
	h := k.usable()
	if h == nil || k.unsaved {
		return 0
	}
	return h.due.Sub(k.now())
}

// untilNext returns how long the pause after a failure still lasts.
func (k *Keeper) untilNext() time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.failure == nil {
		return 0
	}
	return k.failure.Next.Sub(k.now())
}

func (k *Keeper) pollPause() time.Duration {
	if k.usable() == nil {
		return poll
	}
	return calmPoll
}

// lead takes the lease, looks again, and logs in. It waits for room first: a lease that waits runs out.
func (k *Keeper) lead() time.Duration {
	if !k.enter() {
		return k.pollPause()
	}
	defer k.leave()
	ctx, cancel := context.WithTimeout(k.hard, leaseWork)
	defer cancel()
	held, err := k.take(ctx)
	if err != nil {
		return k.storeFailed(err)
	}
	if !held {
		return k.pollPause()
	}
	defer k.giveBack()
	if err := k.look(); err != nil {
		return k.storeFailed(err)
	}
	if rest := k.untilDue(); rest > 0 {
		return rest
	}
	if h := k.usable(); k.unsaved && h != nil && k.now().Before(h.due) {
		return k.save(ctx)
	}
	if pause := k.untilNext(); pause > 0 {
		return min(pause, k.pollPause())
	}
	return k.logIn(ctx)
}

// enter waits for room to log in, and reports false if there was none for as long as another node's ticket may
// wait in the store, or if the Keeper was closed.
func (k *Keeper) enter() bool {
	if k.config.Room == nil {
		return true
	}
	timer := time.NewTimer(poll)
	defer timer.Stop()
	select {
	case k.config.Room <- struct{}{}:
		return true
	case <-timer.C:
	case <-k.stop:
	}
	return false
}

func (k *Keeper) leave() {
	if k.config.Room != nil {
		<-k.config.Room
	}
}

func (k *Keeper) take(ctx context.Context) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	return k.config.Store.Take(ctx, k.name, k.holder, leaseTime)
}

// giveBack returns the lease, also after a Close. Where that fails it runs out.
func (k *Keeper) giveBack() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(k.hard), storeTimeout)
	defer cancel()
	if err := k.config.Store.Return(ctx, k.name, k.holder); err != nil {
		k.observe(Event{Kind: StoreFailed, Code: CodeStore, Err: err})
	}
}

// tellRefusal tells about a ticket that the service has refused.
func (k *Keeper) tellRefusal() {
	k.mu.Lock()
	told := !k.refusal
	k.refusal = false
	var next time.Time
	if k.failure != nil {
		next = k.failure.Next
	}
	k.mu.Unlock()
	if !told {
		k.observe(Event{Kind: TicketRefused, Code: CodeRefused, Err: ErrRefused, Next: next})
	}
}

// observe tells about an event, with the state around it.
func (k *Keeper) observe(e Event) {
	e.Skew = time.Duration(k.skew.Load())
	if h := k.held.Load(); h != nil {
		e.Generation, e.Expiration = h.ticket.Generation, h.ticket.Expiration
	}
	k.config.Observe(e)
}
