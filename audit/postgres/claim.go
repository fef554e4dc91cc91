package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/panics"
)

// claim is an audit.Claim: a lease, and the goroutine that renews it. The claim belongs to
// the store, which ends it with Close at the latest.
type claim struct {
	store *Store
	log   string
	lease *lease

	losing sync.Once
	lost   chan struct{}

	cancel context.CancelFunc // ends the goroutine
	done   chan struct{}      // closed when it has ended
	ending sync.Once
	ended  error // set by ending
}

// taskLease names the work in the error of a panic.
const taskLease = "renewing a lease"

// Claim implements audit.Claimer.
func (s *Store) Claim(ctx context.Context, log, holder string) (audit.Claim, error) {
	if err := s.mayWrite(); err != nil {
		return nil, err
	}
	c := &claim{
		store: s, log: log, lease: newLease(s.pool, writeLease(log), log, holder, s.claimFor, s.now),
		lost: make(chan struct{}), done: make(chan struct{}),
	}
	if err := c.lease.take(ctx); err != nil {
		return nil, err
	}
	renewing, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c.cancel = cancel
	s.mu.Lock()
	closed, before := s.closed, s.claims[log]
	if !closed {
		s.claims[log] = c
	}
	s.mu.Unlock()
	if closed {
		cancel()
		return nil, errors.Join(audit.ErrClosed, c.lease.release(context.WithoutCancel(ctx)))
	}
	s.forget(log) // another may have written since this store has
	s.merger.Wake(log)
	go func() {
		defer close(c.done)
		if panics.Do(taskLease, func() error { c.lease.keep(renewing, c.lose); return nil }) != nil {
			c.lose() // it is not renewed any more
		}
	}()
	if before != nil {
		// It was lost, or this one would have been refused: it must not come back.
		_ = before.end(context.WithoutCancel(ctx))
	}
	return c, nil
}

// Lost implements audit.Claim.
func (c *claim) Lost() <-chan struct{} { return c.lost }

func (c *claim) lose() { c.losing.Do(func() { close(c.lost) }) }

// Release implements audit.Claim.
func (c *claim) Release(ctx context.Context) error {
	c.store.mu.Lock()
	if c.store.claims[c.log] == c {
		delete(c.store.claims, c.log)
	}
	c.store.mu.Unlock()
	return c.end(ctx)
}

// releaseTimeout bounds how long a store waits for a server that is gone: the lease ends by
// itself.
const releaseTimeout = 5 * time.Second

// end stops the goroutine and gives the lease up.
func (c *claim) end(ctx context.Context) error {
	c.ending.Do(func() {
		c.cancel()
		<-c.done
		ctx, cancel := context.WithTimeout(ctx, releaseTimeout)
		defer cancel()
		c.ended = c.lease.release(ctx)
	})
	return c.ended
}

// claimOf returns the lease by which the log is written, nil if it was not claimed. One that
// was lost is taken again first; taken reports that, as another may have written meanwhile.
func (s *Store) claimOf(ctx context.Context, log string) (held *lease, taken bool, err error) {
	s.mu.Lock()
	c := s.claims[log]
	s.mu.Unlock()
	if c == nil {
		return nil, false, nil
	}
	return c.hold(ctx)
}

// hold is claimOf for a claim. One that was released is lost: it must not keep the next holder waiting.
func (c *claim) hold(ctx context.Context) (held *lease, taken bool, err error) {
	if c.lease.left() > 0 {
		return c.lease, false, nil
	}
	c.lose()
	if err := c.lease.take(ctx); err != nil {
		return nil, false, fmt.Errorf("%w: %w", audit.ErrClaimLost, err)
	}
	return c.lease, true, nil
}
