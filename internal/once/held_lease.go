package once

import "time"

// heldLease is a lease as this process knows it.
type heldLease struct {
	// asked is when the store was last asked for it. It lasts from then, so never longer
	// than by the store's clock.
	asked Instant
	// busy: a request has the turn. wanted: another process waits. idle: since when no
	// request has the turn.
	busy, wanted bool
	idle         time.Time
	// leaving is closed when the lease was returned, nil before that begins.
	leaving chan struct{}
}

// remains returns how long the lease still lasts.
func (p *heldLease) remains(now Instant) time.Duration { return leaseTime - now.Since(p.asked) }

// lasts reports whether the lease may be relied upon.
func (p *heldLease) lasts(now Instant) bool { return p.remains(now) > leaseMargin }
