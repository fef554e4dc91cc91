package audittest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fielato/fielato/audit"
)

// LeaseModel compares leases with those in memory, by random steps of three processes over three names. A lease
// lasts for long, or is extended into the past, so that the clock does not matter.
func LeaseModel(t *testing.T, open func(t *testing.T) LeaseStore) {
	var processes []*leaseProcess
	for i := range 3 {
		processes = append(processes, newLeaseProcess(t, open(t), fmt.Sprintf("process-%d", i)))
	}
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		m := &leaseModel{model: new(Leases), processes: processes, run: run, turns: map[string]uint64{}}
		for range rapid.IntRange(5, 40).Draw(t, "steps") {
			if !m.step(t) {
				return
			}
		}
	})
}

// leaseModel is one run. The names of a run are its own.
type leaseModel struct {
	model     *Leases
	processes []*leaseProcess
	run       int
	turns     map[string]uint64 // the newest turn of each process with each name
	returned  time.Time         // the last time that anything was returned
}

// step has a process do something, to the store and to the model. It returns false once too much time has passed
// since a name was returned: it may be kept for the next process in one of the two, and not in the other.
func (m *leaseModel) step(t *rapid.T) bool {
	p := rapid.SampledFrom(m.processes).Draw(t, "process")
	name := fmt.Sprintf("%d/%d", m.run, rapid.IntRange(0, 2).Draw(t, "name"))
	of := p.name + " " + name
	change := audit.LeaseChange{
		Name: name, Holder: audit.Holder{Process: p.name, Turn: m.turns[of]}, TTL: longLease,
		After: rapid.Int64Range(0, 4).Draw(t, "after"), Last: rapid.Int64Range(0, 4).Draw(t, "last"), Settled: rapid.Bool().Draw(t, "settled"),
	}
	what := rapid.SampledFrom([]string{"take", "intend", "intend", "intend next", "end", "end", "give back", "extend", "run out", "free"}).Draw(t, "what")
	switch what {
	case "take", "intend next":
		m.turns[of]++
		change.Holder.Turn++
	case "end", "give back":
		m.returned = time.Now()
	}
	change.Take = what == "intend" || what == "intend next"
	got, want := m.both(t, p, what, change)
	if got == want {
		return true
	}
	if time.Since(m.returned) < reserved/2 {
		t.Fatalf("%s: %s of %s %+v: got %s, want %s", p.name, what, name, change, got, want)
	}
	return false
}

// both returns what came of a step in the store and in the model.
func (m *leaseModel) both(t *rapid.T, p *leaseProcess, what string, change audit.LeaseChange) (got, want string) {
	ctx := context.Background()
	told := func(value any, err error) string {
		var taken *audit.LeasesTakenError
		if err != nil && !errors.As(err, &taken) && !errors.Is(err, audit.ErrLeaseTaken) {
			t.Fatal(err)
		}
		return fmt.Sprint(value, err != nil)
	}
	each := func(do func(audit.Leases) (any, error)) (got, want string) {
		return told(do(p.store)), told(do(m.model))
	}
	switch what {
	case "take":
		return each(func(l audit.Leases) (any, error) { return l.TakeLease(ctx, change.Name, change.Holder, change.TTL) })
	case "give back":
		return each(func(l audit.Leases) (any, error) { return nil, l.ReturnLeases(ctx, []audit.LeaseChange{change}) })
	case "extend", "run out":
		if what == "run out" {
			change.TTL = -time.Second
		}
		return each(func(l audit.Leases) (any, error) {
			return l.ExtendLeases(ctx, map[string]audit.Holder{change.Name: change.Holder}, change.TTL)
		})
	case "free":
		return each(func(l audit.Leases) (any, error) {
			all := []string{fmt.Sprintf("%d/0", m.run), fmt.Sprintf("%d/1", m.run), fmt.Sprintf("%d/2", m.run)}
			free, err := l.FreeLeases(ctx, p.name, all)
			slices.Sort(free)
			return free, err
		})
	}
	batch := audit.Batch{Entries: []audit.Entry{{Lease: &change}}}
	return told(nil, p.append(audit.KindExchange, &change)), told(nil, m.model.change(&batch))
}
