package audittest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
)

// leaseProcess is one of several processes, with a log of its own.
type leaseProcess struct {
	t      *testing.T
	store  LeaseStore
	writer *audit.Writer
	name   string
}

func newLeaseProcess(t *testing.T, store LeaseStore, name string) *leaseProcess {
	t.Helper()
	writer, err := audit.Open(t.Context(), store, name, Key(t, name), audit.Options{First: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = writer.Close() })
	return &leaseProcess{t, store, writer, name}
}

func (p *leaseProcess) holder(turn uint64) audit.Holder {
	return audit.Holder{Process: p.name, Turn: turn}
}

func (p *leaseProcess) takeFor(name string, turn uint64, ttl time.Duration) audit.Lease {
	p.t.Helper()
	lease, err := p.store.TakeLease(p.t.Context(), name, p.holder(turn), ttl)
	if err != nil {
		p.t.Fatalf("%s takes %s: %v", p.name, name, err)
	}
	return lease
}

func (p *leaseProcess) take(name string, turn uint64) audit.Lease {
	p.t.Helper()
	return p.takeFor(name, turn, longLease)
}

// takeSoon waits until a lease can be had.
func (p *leaseProcess) takeSoon(name string, turn uint64) audit.Lease {
	p.t.Helper()
	for {
		if lease := p.take(name, turn); lease.Held {
			return lease
		}
		rest(p.t)
	}
}

func (p *leaseProcess) giveBack(name string, turn uint64, settled bool, last int64) {
	p.t.Helper()
	change := audit.LeaseChange{Name: name, Holder: p.holder(turn), Settled: settled, Last: last}
	if err := p.store.ReturnLeases(p.t.Context(), []audit.LeaseChange{change}); err != nil {
		p.t.Fatal(err)
	}
}

// intend takes a lease with a record.
func (p *leaseProcess) intend(name string, turn uint64, after int64) error {
	return p.append(audit.KindIntent, &audit.LeaseChange{Name: name, Holder: p.holder(turn), Take: true, TTL: longLease, After: after})
}

// end returns a lease with a record.
func (p *leaseProcess) end(name string, turn uint64, settled bool, last int64) {
	p.t.Helper()
	if err := p.append(audit.KindExchange, &audit.LeaseChange{Name: name, Holder: p.holder(turn), Settled: settled, Last: last}); err != nil {
		p.t.Error(err)
	}
}

func (p *leaseProcess) append(kind audit.Kind, change *audit.LeaseChange) error {
	_, err := p.writer.AppendWith(context.Background(), &audit.Record{Kind: kind, Time: time.Now(), Operation: change.Name}, change)
	return err
}

func (p *leaseProcess) wantTaken(err error) {
	p.t.Helper()
	if !errors.Is(err, audit.ErrLeaseTaken) {
		p.t.Errorf("%s takes a lease that it cannot have: %v", p.name, err)
	}
}

func (p *leaseProcess) wantFree(name string, want bool) {
	p.t.Helper()
	free, err := p.store.FreeLeases(p.t.Context(), p.name, []string{name, "nothing of the kind"})
	if err != nil || slices.Contains(free, name) != want {
		p.t.Errorf("free for %s: %q, %v, want %v", p.name, free, err, want)
	}
}
