package once

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/once/lease"
	"github.com/fielato/fielato/wsfev1"
)

// Policy is chosen by the sender of a request. The zero Policy is usable.
type Policy struct {
	// SeriesWait is how long a request waits for its turn, 10 s if it is 0.
	SeriesWait time.Duration
	// RecoverWithin is how long Recover asks before it gives up, 20 s if it is 0. Until half of
	// that time has passed since the request was lost, the service may still be working on it:
	// only later does an invoice that it does not know count as not issued.
	RecoverWithin time.Duration
	// AtWork is how long the service may be working on a request of another process,
	// whose connection this one cannot see end: 2 minutes if it is 0.
	AtWork time.Duration
	// NoReplay leaves repeats to the service, NoRecovery unknown outcomes to the client.
	NoReplay, NoRecovery bool
	// Environment is the kind of the service, empty if it is not known. What was sent to another kind is
	// neither a repeat of a request nor in its way: each numbers its own invoices.
	Environment audit.Environment
	// AllowWithoutJournal allows sending while the journal does not answer
	// (Turn.WithoutJournal): the series is then known as far as this process has seen it.
	AllowWithoutJournal bool
}

func (t *Policy) seriesWait() time.Duration { return cmp.Or(t.SeriesWait, 10*time.Second) }

func (t *Policy) recoverWithin() time.Duration { return cmp.Or(t.RecoverWithin, DefaultRecoverWithin) }

// DefaultRecoverWithin is used for a RecoverWithin of 0.
const DefaultRecoverWithin = 20 * time.Second

// gracePeriod is how long after a request was lost the service may still be working on it.
func (t *Policy) gracePeriod() time.Duration { return t.recoverWithin() / 2 }

func (t *Policy) atWork() time.Duration { return cmp.Or(t.AtWork, 2*time.Minute) }

// Settings tune a Coordinator. The zero Settings are usable.
type Settings struct {
	// Now is the clock, Wait waits for a time or the end of the context, and Jitter
	// returns a number from 0 to 1. The system's if they are nil.
	Now    func() time.Time
	Wait   func(ctx context.Context, d time.Duration) error
	Jitter func() float64
	// Leases admits one process at a time to a queue if several share the journal. It is nil
	// if this process is the only one. The Coordinator closes it.
	Leases *lease.Manager
	// Restored: the journal was put back from an older copy, and lacks what was sent since. The
	// service is asked for it, series by series; Missing receives what it has.
	Restored bool
	Missing  func(Missing)
	// Settled receives what was settled in the background, with its record's index.
	Settled func(*Pending, *Settlement, uint64)
	// Waited receives how long a request has waited for its turn, even if in vain. It is
	// close to zero if the request had its turn at once.
	Waited func(time.Duration)
}

func (s *Settings) setDefaults() {
	if s.Now == nil {
		s.Now = time.Now
	}
	if s.Wait == nil {
		s.Wait = wait
	}
	if s.Jitter == nil {
		s.Jitter = rand.Float64
	}
	if s.Settled == nil {
		s.Settled = func(*Pending, *Settlement, uint64) {}
	}
	if s.Missing == nil {
		s.Missing = func(Missing) {}
	}
	if s.Waited == nil {
		s.Waited = func(time.Duration) {}
	}
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Service answers questions. It is safe for concurrent use: all series of an issuer are settled in the background
// with the same one.
type Service interface {
	// Ask performs an operation that changes nothing. An error means that no answer came that can be
	// understood.
	Ask(ctx context.Context, operation string, request any) (Reply, error)
	// Auth are the credentials to ask with.
	Auth() wsfev1.Auth
}

// Reply is a service's reply to a question.
type Reply struct {
	// Answer is the typed answer of the operation.
	Answer any
	// Environment is the kind of the service that gave it, empty if it is not known.
	Environment audit.Environment
}

// ErrNoQuestion: the contract has no operation that asks for it, so the outcome can never
// be known.
var ErrNoQuestion = errors.New("the contract has no operation to ask with")

// ErrCredentials: the service did not accept the credentials. Asking again with the same
// ones is of no use.
var ErrCredentials = errors.New("the service does not take the credentials")

// ErrAnotherProgram: something other than the service answered, so the address is wrong. Asking
// again is of no use while a client waits. The outcome stays unknown.
var ErrAnotherProgram = errors.New("another program answers in place of the service")

// ErrUnreached: a question was not sent, as nobody takes connections where the service should be.
var ErrUnreached = errors.New("the question did not reach the service")

// Errors of Enter.
var (
	// ErrBusy: the turn did not come in time.
	ErrBusy = errors.New("other requests of the series are still on their way")
	// ErrConflict: a request for the same numbers and with another content is open, and
	// this one was never approved.
	ErrConflict = errors.New("another request for the same numbers is open")
	// ErrKeyReused: the client's Idempotency-Key came before with another content.
	ErrKeyReused = errors.New("the Idempotency-Key was used for another request")
)

// UnsettledError: a queue is closed by a request with an unknown outcome.
type UnsettledError struct {
	Pending *Pending
	// Err is why the outcome could not be found out.
	Err error
}

// Error implements error.
func (e *UnsettledError) Error() string {
	return fmt.Sprintf("the outcome of %s, numbers %d to %d, is unknown", e.Pending.Operation.Name, e.Pending.Key.Desde, e.Pending.Key.Hasta)
}

// Unwrap returns why the outcome could not be found out.
func (e *UnsettledError) Unwrap() error { return e.Err }
