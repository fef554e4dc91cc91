package lease

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/clocks"
	"github.com/fielato/fielato/internal/panics"
)

// task names the task in the report of a panic.
const task = "keeping the leases"

// keep extends and returns leases until the context ends.
func (m *Manager) keep(ctx context.Context, abandoned func(names []string)) {
	looked, failing := time.Now(), false
	for {
		m.rest(ctx)
		if ctx.Err() != nil {
			return
		}
		asked := false
		err := panics.Do(task, func() (err error) {
			asked, err = m.tend(ctx)
			return err
		})
		if time.Since(looked) >= abandonedBeat {
			looked, asked = time.Now(), true
			err = errors.Join(err, panics.Do(task, func() error { return m.takeUp(ctx, abandoned) }))
		}
		if changed := (err != nil) != failing; changed && (err != nil || asked) && ctx.Err() == nil {
			failing = err != nil
			m.report(err)
		}
	}
}

// rest waits for the next beat, or until a lease is to be returned.
func (m *Manager) rest(ctx context.Context) {
	timer := time.NewTimer(beat)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-m.kick:
	case <-ctx.Done():
	}
}

// tend returns leases, and extends those that run out soon. It reports whether it has asked the store.
func (m *Manager) tend(ctx context.Context) (asked bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, releaseTime)
	defer cancel()
	due, returning := m.due()
	if returning {
		err = m.returnLeases(ctx)
	}
	if len(due) == 0 {
		return returning, err
	}
	since := m.now()
	kept, extending := m.leases.ExtendLeases(ctx, due, TTL)
	if extending != nil {
		return true, errors.Join(err, fmt.Errorf("extending leases of series: %w", extending))
	}
	m.extended(since, due, kept)
	return true, err
}

// due returns the leases to extend, and whether there are any to return.
func (m *Manager) due() (due map[string]audit.Holder, returning bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	due = map[string]audit.Holder{}
	for name, lease := range m.held {
		if lease.remains(m.now()) < TTL*2/3 {
			due[name] = lease.holder
		}
	}
	return due, len(m.returning) > 0
}

// extended takes the store's answer. A lease that it does not have any more is another process's.
func (m *Manager) extended(asked clocks.Instant, due map[string]audit.Holder, kept []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, name := range kept {
		if lease := m.held[name]; lease != nil && lease.holder == due[name] {
			lease.asked = asked
		}
		delete(due, name)
	}
	for name, holder := range due {
		if lease := m.held[name]; lease != nil && lease.holder == holder {
			delete(m.held, name)
		}
	}
}

// returnLeases returns the leases of turns that have sent nothing. After a failure the store lets them
// run out.
func (m *Manager) returnLeases(ctx context.Context) error {
	m.mu.Lock()
	returning := m.returning
	m.returning = nil
	m.mu.Unlock()
	if len(returning) == 0 {
		return nil
	}
	if err := m.leases.ReturnLeases(ctx, returning); err != nil {
		return fmt.Errorf("giving %d series back to other gateways: %w", len(returning), err)
	}
	return nil
}

// takeUp reports the leases of processes that have died.
func (m *Manager) takeUp(ctx context.Context, abandoned func(names []string)) error {
	ctx, cancel := context.WithTimeout(ctx, releaseTime)
	defer cancel()
	names, err := m.leases.AbandonedLeases(ctx, abandonedAtOnce)
	if err != nil {
		return fmt.Errorf("looking for series of gateways that have died: %w", err)
	}
	if len(names) > 0 {
		abandoned(names)
	}
	return nil
}
