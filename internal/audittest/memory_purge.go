package audittest

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// Purger returns what purges the store. Its Close does nothing.
func (m *Memory) Purger() audit.Purger { return memoryPurger{m} }

type memoryPurger struct{ m *Memory }

// Purge implements audit.Purger.
func (p memoryPurger) Purge(_ context.Context, request audit.PurgeRequest) (audit.PurgeResult, error) {
	if !p.m.beginPurge() {
		return audit.PurgeResult{}, audit.ErrPurging
	}
	defer p.m.endPurge()
	result, err := p.purge(request)
	if err == nil && request.Progress != nil {
		request.Progress(result)
	}
	return result, err
}

// beginPurge reports whether no other purge runs.
func (m *Memory) beginPurge() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	begun := !m.purging
	m.purging = true
	return begun
}

func (m *Memory) endPurge() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.purging = false
}

func (p memoryPurger) purge(request audit.PurgeRequest) (result audit.PurgeResult, err error) {
	p.m.mu.Lock()
	defer p.m.mu.Unlock()
	log := p.m.log(request.Log)
	held := audit.Holds{}
	for _, hold := range p.m.holds {
		held[hold.Cuit] = true
	}
	for _, cuit := range request.Held {
		held[cuit] = true
	}
	for i := range log.records {
		if !request.Records.Holds(uint64(i)) {
			continue
		}
		form := &log.records[i]
		r, err := p.m.get(request.Log, uint64(i))
		if err != nil {
			return result, err
		}
		period := audit.PeriodOf(r.Time)
		if period >= request.Before || form.Presence != audit.Present {
			continue
		}
		var intent *audit.Record
		if r.Kind == audit.KindOutcome {
			if intent, err = p.m.get(request.Log, r.Intent); err != nil {
				return result, err
			}
		}
		if held.Keep(r, intent) {
			result.Count(period, 0, 1)
			continue
		}
		result.Count(period, 1, 0)
		result.Records.Add(uint64(i))
		result.Bytes += int64(len(form.Content))
		if !request.DryRun {
			form.Content, form.Presence = nil, audit.Purged
			log.decoded[i] = nil
		}
	}
	return result, nil
}

// Hold implements audit.Purger.
func (p memoryPurger) Hold(_ context.Context, hold audit.Hold) error {
	p.m.mu.Lock()
	defer p.m.mu.Unlock()
	if slices.ContainsFunc(p.m.holds, func(h audit.Hold) bool { return h.Cuit == hold.Cuit }) {
		return nil
	}
	p.m.holds = append(p.m.holds, hold)
	slices.SortFunc(p.m.holds, func(a, b audit.Hold) int { return cmp.Compare(a.Cuit, b.Cuit) })
	return nil
}

// Release implements audit.Purger.
func (p memoryPurger) Release(_ context.Context, cuit wsfev1.CUIT) error {
	p.m.mu.Lock()
	defer p.m.mu.Unlock()
	before := len(p.m.holds)
	p.m.holds = slices.DeleteFunc(p.m.holds, func(h audit.Hold) bool { return h.Cuit == cuit })
	if len(p.m.holds) == before {
		return fmt.Errorf("CUIT %s: %w", cuit, audit.ErrNotHeld)
	}
	return nil
}

// Holds implements audit.Purger.
func (p memoryPurger) Holds(context.Context) ([]audit.Hold, error) {
	p.m.mu.Lock()
	defer p.m.mu.Unlock()
	return slices.Clone(p.m.holds), nil
}

// Close implements audit.Purger.
func (p memoryPurger) Close() error { return nil }
