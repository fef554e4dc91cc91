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
	holder       string
	held, wanted bool
	expires      time.Time
	generation   int64
}

var _ audit.Leases = (*Leases)(nil)

// Fail has all calls return an error, until it is called with nil.
func (l *Leases) Fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failure = err
}

// TakeLease implements audit.Leases.
func (l *Leases) TakeLease(_ context.Context, name, holder string, ttl time.Duration) (audit.Lease, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failure != nil {
		return audit.Lease{}, l.failure
	}
	if l.rows == nil {
		l.rows = map[string]*leaseRow{}
	}
	row := l.rows[name]
	if row == nil {
		row = &leaseRow{}
		l.rows[name] = row
	}
	if row.holder != holder {
		if row.held && time.Now().Before(row.expires) {
			row.wanted = true
			return audit.Lease{}, nil
		}
		row.generation++
	}
	row.holder, row.held, row.wanted, row.expires = holder, true, false, time.Now().Add(ttl)
	return audit.Lease{Held: true, Generation: row.generation}, nil
}

// TendLeases implements audit.Leases.
func (l *Leases) TendLeases(_ context.Context, holder string, names []string, ttl time.Duration) (kept, wanted []string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failure != nil {
		return nil, nil, l.failure
	}
	for name, row := range l.rows {
		if row.holder != holder || !row.held {
			continue
		}
		if slices.Contains(names, name) {
			row.expires = time.Now().Add(ttl)
			kept = append(kept, name)
		}
		if row.wanted {
			wanted = append(wanted, name)
		}
	}
	return kept, wanted, nil
}

// ReturnLeases implements audit.Leases.
func (l *Leases) ReturnLeases(_ context.Context, holder string, names []string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failure != nil {
		return l.failure
	}
	for _, name := range names {
		if row := l.rows[name]; row != nil && row.holder == holder {
			row.held, row.wanted = false, false
		}
	}
	return nil
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
