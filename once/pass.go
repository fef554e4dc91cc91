package once

import "time"

// pass is a lane's lease as this process knows it.
type pass struct {
	// asked is when the store was asked for it last: it lasts from then, so never longer
	// than the store counts.
	asked Instant
	// busy tells that somebody has the turn, wanted that another process waits, idle
	// since when nobody has the turn.
	busy, wanted bool
	idle         time.Time
	// leaving is closed when the lease was given back, nil before that begins.
	leaving chan struct{}
}

// remains returns how long the lease lasts still.
func (p *pass) remains(now Instant) time.Duration { return leaseTime - now.Since(p.asked) }

// lasts reports whether the lease may be relied upon.
func (p *pass) lasts(now Instant) bool { return p.remains(now) > leaseMargin }
