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

// tend renews and returns leases until the context ends.
func (g *Gate) tend(ctx context.Context, abandoned func([]OrderingKey)) {
	looked := time.Now()
	for {
		g.rest(ctx)
		if ctx.Err() != nil {
			return
		}
		err := panics.Do(taskLeases, func() error { return g.renew(ctx) })
		if time.Since(looked) >= leaseIdle {
			looked = time.Now()
			err = errors.Join(err, panics.Do(taskLeases, func() error { return g.takeUp(ctx, abandoned) }))
		}
		if err != nil && ctx.Err() == nil {
			g.report(err)
		}
	}
}

// rest waits for the next beat, longer while this process holds no lease.
func (g *Gate) rest(ctx context.Context) {
	g.mu.Lock()
	beat := leaseBeat
	if len(g.held) == 0 {
		beat = leaseIdle
	}
	g.mu.Unlock()
	timer := time.NewTimer(beat)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-g.kick:
	case <-ctx.Done():
	}
}

// renew renews the leases that run out, and returns those that others want or that are idle.
func (g *Gate) renew(ctx context.Context) error {
	due, some := g.due()
	if !some {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, leaseMargin)
	defer cancel()
	asked := g.now()
	kept, wanted, err := g.leases.TendLeases(ctx, g.holder, slices.Collect(maps.Keys(due)), leaseTime)
	if err != nil {
		return fmt.Errorf("renewing the leases of %d series: %w", len(due), err)
	}
	leaving := g.note(asked, due, kept, wanted)
	if len(leaving) == 0 {
		return nil
	}
	defer g.left(leaving) // after a failure too: the store lets them run out
	if err := g.leases.ReturnLeases(ctx, g.holder, leaving); err != nil {
		return fmt.Errorf("giving %d series back to other gateways: %w", len(leaving), err)
	}
	return nil
}

// left wakes those that wait until the leases are returned.
func (g *Gate) left(names []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, name := range names {
		close(g.held[name].leaving)
		delete(g.held, name)
	}
}

// due returns the leases to renew, and whether there are any at all.
func (g *Gate) due() (due map[string]*pass, some bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	due = map[string]*pass{}
	for name, p := range g.held {
		if p.remains(g.now()) < leaseTime*2/3 && (p.busy || time.Since(p.idle) < leaseIdle) {
			due[name] = p
		}
	}
	return due, len(g.held) > 0
}

// note takes the store's answer, and returns what is to be returned.
func (g *Gate) note(asked Instant, due map[string]*pass, kept, wanted []string) (leaving []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for name, p := range due {
		switch {
		case g.held[name] != p: // it ran out, and was taken anew
		case slices.Contains(kept, name):
			p.asked = asked
		default:
			delete(g.held, name) // another process holds it; the generation will show it
		}
	}
	for _, name := range wanted {
		if p := g.held[name]; p != nil {
			p.wanted = true
		}
	}
	for name, p := range g.held {
		if !p.busy && (p.wanted || time.Since(p.idle) >= leaseIdle) {
			p.leaving = make(chan struct{})
			leaving = append(leaving, name)
		}
	}
	return leaving
}

// takeUp reports the queues of processes that have died.
func (g *Gate) takeUp(ctx context.Context, abandoned func([]OrderingKey)) error {
	keys, err := g.abandoned(ctx)
	if len(keys) > 0 {
		abandoned(keys)
	}
	return err
}

// abandoned returns the queues of processes that have died.
func (g *Gate) abandoned(ctx context.Context) (keys []OrderingKey, err error) {
	ctx, cancel := context.WithTimeout(ctx, leaseMargin)
	defer cancel()
	names, err := g.leases.AbandonedLeases(ctx, abandonedAtOnce)
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
