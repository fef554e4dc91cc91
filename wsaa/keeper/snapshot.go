package keeper

import (
	"slices"
	"time"

	"github.com/fielato/fielato/wsaa/credential"
	"github.com/fielato/fielato/wsfev1"
)

// Failure is why the last attempt failed, and when the next is. Times are by the authority's clock.
type Failure struct {
	// Code is the code of a client.Error, or one of this package.
	Code string
	Err  error
	// At is when it failed, and Next when the next attempt is.
	At, Next time.Time
	// Count is how many attempts in a row have failed.
	Count int
	// Shared: another node, or one before a restart, has failed.
	Shared bool
}

// Snapshot is the state of a Keeper. It holds no credential.
type Snapshot struct {
	// URL, Service and Certificate say whose state it is.
	URL, Service string
	Certificate  credential.Identity
	// CUITs are those for which it gives its ticket away.
	CUITs []wsfev1.CUIT
	// Now is the time by the authority's clock, and Earliest when a login may begin for which LogIn asks.
	Now, Earliest time.Time
	// Ready: there is a ticket that can be used.
	Ready bool
	// Generation, Renewal, Usable and Expiration are when the ticket began, from when a newer one is
	// sought, until when it is used, and when it ends; zero without one.
	Generation, Renewal, Usable, Expiration time.Time
	// Missing are the configured CUITs for which it does not act.
	Missing []wsfev1.CUIT
	// Skew is how far the authority's clock is ahead of the machine's. Measured: a login has
	// shown it.
	Skew     time.Duration
	Measured bool
	// Failure is nil if the last attempt succeeded.
	Failure *Failure
}

// Snapshot returns the state at this moment.
func (k *Keeper) Snapshot() Snapshot {
	s := Snapshot{
		URL: k.config.URL, Service: k.config.Service, Certificate: k.config.Credential.Identity(),
		CUITs: slices.Clone(k.config.CUITs), Now: k.now(), Ready: k.usable() != nil,
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	s.Earliest = k.earliest()
	s.Skew, s.Measured = time.Duration(k.skew.Load()), k.measured
	if k.failure != nil {
		failure := *k.failure
		s.Failure = &failure
	}
	if h := k.held.Load(); h != nil {
		s.Generation, s.Renewal, s.Usable, s.Expiration = h.ticket.Generation, h.due, h.until, h.ticket.Expiration
		s.Missing = slices.Clone(h.missing)
	}
	return s
}
