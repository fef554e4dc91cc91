package audit

import (
	"context"
	"errors"
	"fmt"
	"time"
)

var (
	// ErrTaken: another process has claimed the log. The error is a TakenError.
	ErrTaken = errors.New("another process writes this log")
	// ErrClaimLost: a claim was not renewed in time, so that another process may have it.
	// Nothing was written.
	ErrClaimLost = errors.New("the claim to write the log was lost")
)

// Claimer is what a Store may offer that several processes share: it lets only one living
// process write a log.
type Claimer interface {
	// Claim makes this store the one that writes the log, until the claim is released, the
	// store is closed, or the process cannot renew it any more. The holder names the process in
	// the errors of others, such as "process 71 on host b".
	//
	// While a claim lives, Commit of every other store fails for this log (ErrTaken). So does
	// Claim, also a second one of the same store. The error is a TakenError.
	Claim(ctx context.Context, log, holder string) (Claim, error)
}

// Claim is the right to write a log. The store renews it by itself.
//
// A claim that could not be renewed in time is lost: Commit fails then (ErrClaimLost) until
// the store has claimed the log again. It does so by itself as soon as it can, unless
// another process has it. A process that was paused cannot write after another has taken
// over: the store's transaction checks the claim.
type Claim interface {
	// Lost is closed when the claim was lost for the first time.
	Lost() <-chan struct{}
	// Release gives the claim up: another process may claim the log at once. A second
	// Release does nothing.
	Release(ctx context.Context) error
}

// TakenError names the holder of a log. It wraps ErrTaken.
type TakenError struct {
	Log    string
	Holder string
	// Since is when the holder claimed the log, Until when that ends unless it is renewed:
	// both by the store's clock. Left is how long that was off, which needs no clock.
	Since, Until time.Time
	Left         time.Duration
}

// Error returns the holder, and what an operator can do.
func (e *TakenError) Error() string {
	return fmt.Sprintf("log %q is written by %s since %s: give this gateway another node name, or stop the other one, or wait until %s, when its claim ends unless it is renewed",
		e.Log, e.Holder, e.Since.UTC().Format(time.RFC3339), e.Until.UTC().Format(time.RFC3339))
}

// Unwrap returns ErrTaken.
func (e *TakenError) Unwrap() error { return ErrTaken }
