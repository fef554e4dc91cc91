package keeper

import (
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// Kind is what an Event is about.
type Kind uint8

// The kinds of events.
const (
	// LoggedIn: the login service gave a ticket.
	LoggedIn Kind = iota
	// LoginFailed: it did not. Err and Next are set.
	LoginFailed
	// Adopted: another node's ticket, or one from before a restart, was found in the store.
	Adopted
	// TicketRefused: the service has refused the ticket, which is not used for some seconds.
	TicketRefused
	// StoreFailed: the store could not be asked, or what was in it not be read. Err is set.
	StoreFailed
	// ClockOff: the machine's clock differs from the authority's by another time than before, by more
	// than a minute now or then.
	ClockOff
	// Unrepresented: the new ticket does not act for some of the configured CUITs.
	Unrepresented
	// Asked: a person has asked for a login now. Next is when it begins.
	Asked
	// Panicked: a part of the Keeper has panicked, and goes on. Err is set.
	Panicked
)

var kinds = [...]string{"logged_in", "login_failed", "adopted", "ticket_refused", "store_failed", "clock_off", "unrepresented", "asked", "panicked"}

// String returns the name of the kind, as a log or a metric may have it.
func (k Kind) String() string {
	if int(k) < len(kinds) {
		return kinds[k]
	}
	return "unknown"
}

// Event is something that happened to a Keeper. It holds no credential.
type Event struct {
	Kind Kind
	// Code is the code of a failure: of client.Error, or one of this package; empty if there is none.
	Code string
	Err  error
	// Generation and Expiration are the times of the ticket that is at hand, zero for none.
	Generation, Expiration time.Time
	// Next is when the next attempt is, by the authority's clock, zero if that is not known.
	Next time.Time
	// Skew is how far the authority's clock is ahead of the machine's.
	Skew time.Duration
	// CUITs are the CUITs that an Unrepresented event is about.
	CUITs []wsfev1.CUIT
}

// The codes of failures other than failed logins.
const (
	CodeStore   = "store.failed"
	CodeRefused = "ticket.refused"
	CodePanic   = "keeper.panic"
)
