package audit

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Leases is an optional part of a Store that several processes share. A name, such as a series of
// invoices, has one holder at a time: mostly for one exchange, whose intent takes the lease and
// whose outcome returns it, each in the commit that makes the record durable (LeaseChange). So a
// process that dies between two exchanges holds nobody up.
//
// With a name goes its last number, as far as it is settled: as far as the holder before has said
// that nothing is open. A process that knows nothing else of a name can take it with the next
// number, and is told in the same commit if it must look into the logs first.
//
// Time is the store's, so that the clocks of the processes do not matter.
//
// Implementations are safe for concurrent use.
type Leases interface {
	// TakeLease takes a name that is free, or whose lease has run out, until ttl from now. If it
	// cannot be taken, the process waits for it, behind those that do already: a name that was returned is kept for
	// the first of them for a moment. One that does not come loses its place.
	TakeLease(ctx context.Context, name string, holder Holder, ttl time.Duration) (Lease, error)
	// ExtendLeases extends the leases that these holders still have to ttl from now, and returns
	// their names.
	ExtendLeases(ctx context.Context, held map[string]Holder, ttl time.Duration) (kept []string, err error)
	// ReturnLeases does what changes that return a lease say, outside any commit. It leaves
	// other holders' leases alone.
	ReturnLeases(ctx context.Context, changes []LeaseChange) error
	// FreeLeases returns the names that the process could take now, of those that were taken before.
	FreeLeases(ctx context.Context, process string, names []string) ([]string, error)
	// AbandonedLeases lists names whose lease has run out without being returned: their
	// holder has died, or has lost the store.
	AbandonedLeases(ctx context.Context, limit int) ([]string, error)
}

// Holder is one of the turns of a process that it is given in the order of their numbers. The process is any
// text that no other one uses, a restarted one neither.
type Holder struct {
	Process string
	Turn    uint64
}

// String returns the text that stands for the holder in a store.
func (h Holder) String() string { return fmt.Sprintf("%s %d", h.Process, h.Turn) }

// Lease is the state of a name for who has tried to take it.
type Lease struct {
	// Held: the caller is the holder.
	Held bool
	// Settled: nothing was open when the holder before returned the name, and Last was its
	// last number. Otherwise only the logs show what was done under the name.
	Settled bool
	Last    int64
}

// LeaseChange is a change of a lease that a commit makes together with a record.
type LeaseChange struct {
	Name   string
	Holder Holder
	// Take takes the lease until TTL from now, or extends it if the holder has it. It is taken only
	// if it is free, settled, and its last number is After. Otherwise Commit fails with a
	// LeasesTakenError.
	//
	// Without Take the holder returns the lease, if it still has it.
	Take  bool
	TTL   time.Duration
	After int64
	// Settled: nothing is open under the name, and its last number is Last or the one that it had,
	// whichever is higher.
	Settled bool
	Last    int64
}

// ErrLeaseTaken: a record was to take a lease that it cannot have.
var ErrLeaseTaken = errors.New("the lease cannot be taken: another process has it, or has had it since")

// LeasesTakenError is the error of a Commit that takes leases which cannot be had. Nothing was
// written; the entries that take other leases can be committed without these. It wraps ErrLeaseTaken.
type LeasesTakenError struct{ Names []string }

// Error names the leases.
func (e *LeasesTakenError) Error() string {
	return fmt.Sprintf("%v: %s", ErrLeaseTaken, strings.Join(e.Names, ", "))
}

// Unwrap returns ErrLeaseTaken.
func (e *LeasesTakenError) Unwrap() error { return ErrLeaseTaken }
