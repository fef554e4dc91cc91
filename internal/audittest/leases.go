package audittest

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/fielato/fielato/audit"
)

// Leases are leases in memory. The zero value is ready for use.
type Leases struct {
	mu   sync.Mutex // guards the rest
	rows map[string]*leaseRow
	// failure is what all calls return, nil for none.
	failure error
}

type leaseRow struct {
	holder  audit.Holder
	held    bool
	expires time.Time // of the lease, or of the time for which it is kept for the first that waits
	waiting []string  // the processes that wait, in their order
	settled bool
	last    int64
}

// reserved is how long a name is kept for the process that has waited longest.
const reserved = 250 * time.Millisecond

var _ audit.Leases = (*Leases)(nil)

// Fail has all calls return an error, until it is called with nil.
func (l *Leases) Fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failure = err
}

// row returns the row of a name, an empty one for none. The caller holds mu.
func (l *Leases) row(name string) *leaseRow {
	if row := l.rows[name]; row != nil {
		return row
	}
	return &leaseRow{}
}

// free reports whether a process could take the row.
func (r *leaseRow) free(process string) bool {
	expired := !time.Now().Before(r.expires)
	return expired || !r.held && (len(r.waiting) == 0 || r.waiting[0] == process)
}

func (r *leaseRow) take(holder audit.Holder, ttl time.Duration) {
	r.holder, r.held, r.expires = holder, true, time.Now().Add(ttl)
	r.waiting = slices.DeleteFunc(r.waiting[min(1, len(r.waiting)):], func(p string) bool { return p == holder.Process })
}

// TakeLease implements audit.Leases.
func (l *Leases) TakeLease(_ context.Context, name string, holder audit.Holder, ttl time.Duration) (audit.Lease, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failure != nil {
		return audit.Lease{}, l.failure
	}
	if l.rows == nil {
		l.rows = map[string]*leaseRow{}
	}
	row := l.row(name)
	l.rows[name] = row
	if !row.free(holder.Process) {
		if !slices.Contains(row.waiting, holder.Process) {
			row.waiting = append(row.waiting, holder.Process)
		}
		return audit.Lease{}, nil
	}
	lease := audit.Lease{Held: true, Settled: row.settled && !row.held, Last: row.last}
	row.settled = lease.Settled
	row.take(holder, ttl)
	return lease, nil
}

// ExtendLeases implements audit.Leases.
func (l *Leases) ExtendLeases(_ context.Context, held map[string]audit.Holder, ttl time.Duration) (kept []string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failure != nil {
		return nil, l.failure
	}
	for name, holder := range held {
		if row := l.row(name); row.held && row.holder == holder {
			row.expires = time.Now().Add(ttl)
			kept = append(kept, name)
		}
	}
	return kept, nil
}

// ReturnLeases implements audit.Leases.
func (l *Leases) ReturnLeases(_ context.Context, changes []audit.LeaseChange) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failure != nil {
		return l.failure
	}
	for i := range changes {
		l.giveBack(&changes[i])
	}
	return nil
}

// giveBack returns a lease. The caller holds mu.
func (l *Leases) giveBack(change *audit.LeaseChange) {
	row := l.row(change.Name)
	if !row.held || row.holder != change.Holder {
		return
	}
	row.held, row.settled = false, change.Settled
	if change.Settled {
		row.last = max(row.last, change.Last)
	}
	if len(row.waiting) > 0 {
		row.expires = time.Now().Add(reserved)
	}
}

// FreeLeases implements audit.Leases.
func (l *Leases) FreeLeases(_ context.Context, process string, names []string) (free []string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failure != nil {
		return nil, l.failure
	}
	for _, name := range names {
		if row := l.rows[name]; row != nil && row.free(process) {
			free = append(free, name)
		}
	}
	return free, nil
}

// AbandonedLeases implements audit.Leases.
func (l *Leases) AbandonedLeases(_ context.Context, limit int) (names []string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failure != nil {
		return nil, l.failure
	}
	for name, row := range l.rows {
		if len(names) < limit && row.held && !time.Now().Before(row.expires) {
			names = append(names, name)
		}
	}
	return names, nil
}

// change makes the changes of a batch, all of them or none.
func (l *Leases) change(batch *audit.Batch) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var taken, returned []audit.LeaseChange
	for i := range batch.Entries {
		switch change := batch.Entries[i].Lease; {
		case change == nil:
		case change.Take:
			taken = append(taken, *change)
		default:
			returned = append(returned, *change)
		}
	}
	var missing []string
	for i := range taken {
		change := &taken[i]
		row := l.row(change.Name)
		mine := row.held && row.holder == change.Holder
		if !mine && (row.held || !row.free(change.Holder.Process) || !row.settled || row.last != change.After) {
			missing = append(missing, change.Name)
		}
	}
	switch {
	case len(missing) > 0:
		slices.Sort(missing)
		return &audit.LeasesTakenError{Names: missing}
	case l.failure != nil:
		return l.failure
	}
	for i := range returned {
		l.giveBack(&returned[i])
	}
	for i := range taken {
		if row := l.row(taken[i].Name); row.held {
			row.expires = time.Now().Add(taken[i].TTL)
		} else {
			row.take(taken[i].Holder, taken[i].TTL)
		}
	}
	return nil
}
