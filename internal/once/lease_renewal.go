package once

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/fielato/fielato/internal/panics"
)

// taskLeases names the task in the report of a panic.
const taskLeases = "keeping the leases"

// keepLeases renews and returns leases until the context ends.
func (m *LeaseManager) keepLeases(ctx context.Context, abandoned func([]OrderingKey)) {
	looked, failing := time.Now(), false
	for {
		m.rest(ctx)
		if ctx.Err() != nil {
			return
		}
		asked := false
		err := panics.Do(taskLeases, func() (err error) {
			asked, err = m.renew(ctx)
			return err
		})
		if time.Since(looked) >= leaseIdle {
			looked, asked = time.Now(), true
			err = errors.Join(err, panics.Do(taskLeases, func() error { return m.takeUp(ctx, abandoned) }))
		}
		if changed := (err != nil) != failing; changed && (err != nil || asked) && ctx.Err() == nil {
			failing = err != nil
			m.report(err)
		}
	}
}

// rest waits for the next beat, longer while this process holds no lease.
func (m *LeaseManager) rest(ctx context.Context) {
	m.mu.Lock()
	beat := leaseBeat
	if len(m.held) == 0 {
		beat = leaseIdle
	}
	m.mu.Unlock()
	timer := time.NewTimer(beat)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-m.kick:
	case <-ctx.Done():
	}
}

// renew renews the leases that run out, and returns those that others want or that are idle. It reports
// whether it has asked the store.
func (m *LeaseManager) renew(ctx context.Context) (asked bool, err error) {
	due, some := m.due()
	if !some {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, leaseMargin)
	defer cancel()
	since := m.now()
	kept, wanted, err := m.leases.TendLeases(ctx, m.holder, slices.Collect(maps.Keys(due)), leaseTime)
	if err != nil {
		return true, fmt.Errorf("renewing leases of series: %w", err)
	}
	leaving := m.note(since, due, kept, wanted)
	if len(leaving) == 0 {
		return true, nil
	}
	defer m.left(leaving) // after a failure too: the store lets them run out
	if err := m.leases.ReturnLeases(ctx, m.holder, leaving); err != nil {
		return true, fmt.Errorf("giving %d series back to other gateways: %w", len(leaving), err)
	}
	return true, nil
}

// left wakes those that wait until the leases are returned.
func (m *LeaseManager) left(names []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, name := range names {
		close(m.held[name].leaving)
		delete(m.held, name)
	}
}

// due returns the leases to renew, and whether there are any at all.
func (m *LeaseManager) due() (due map[string]*heldLease, some bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	due = map[string]*heldLease{}
	for name, p := range m.held {
		if p.remains(m.now()) < leaseTime*2/3 && (p.busy || time.Since(p.idle) < leaseIdle) {
			due[name] = p
		}
	}
	return due, len(m.held) > 0
}

// note takes the store's answer, and returns the names of the leases to give back.
func (m *LeaseManager) note(asked Instant, due map[string]*heldLease, kept, wanted []string) (leaving []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name, p := range due {
		switch {
		case m.held[name] != p: // it ran out, and was taken anew
		case slices.Contains(kept, name):
			p.asked = asked
		default:
			delete(m.held, name) // another process holds it; the generation will show it
		}
	}
	for _, name := range wanted {
		if p := m.held[name]; p != nil {
			p.wanted = true
		}
	}
	for name, p := range m.held {
		if !p.busy && (p.wanted || time.Since(p.idle) >= leaseIdle) {
			p.leaving = make(chan struct{})
			leaving = append(leaving, name)
		}
	}
	return leaving
}

// takeUp reports the queues of processes that have died.
func (m *LeaseManager) takeUp(ctx context.Context, abandoned func([]OrderingKey)) error {
	keys, err := m.abandoned(ctx)
	if len(keys) > 0 {
		abandoned(keys)
	}
	return err
}

// abandoned returns the queues of processes that have died.
func (m *LeaseManager) abandoned(ctx context.Context) (keys []OrderingKey, err error) {
	ctx, cancel := context.WithTimeout(ctx, leaseMargin)
	defer cancel()
	names, err := m.leases.AbandonedLeases(ctx, abandonedAtOnce)
	if err != nil {
		return nil, fmt.Errorf("looking for series of gateways that have died: %w", err)
	}
	for _, name := range names {
		if key, ok := parseOrderingKey(name); ok {
			keys = append(keys, key)
		}
	}
	return keys, nil
}
