package audittest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
)

// LeaseStore is a store whose commits change leases.
type LeaseStore interface {
	audit.Store
	audit.Leases
}

// LeaseSuite checks that leases keep the contract of audit.Leases. The function open is
// called for each of several processes that share a store.
func LeaseSuite(t *testing.T, fresh func(t *testing.T) (open func(t *testing.T) LeaseStore)) {
	for name, test := range map[string]func(*testing.T, *leaseProcess, *leaseProcess, *leaseProcess){
		"one holder at a time":                       oneHolderAtATime,
		"an intent takes what follows the last one":  intentTakesTheNext,
		"what is not settled is not taken unseen":    unsettledIsSeen,
		"an intent extends the lease of its turn":    intentExtends,
		"one lease costs one record":                 oneLeaseOneRecord,
		"who waits is next, for a moment":            whoWaitsIsNext,
		"what ran out is abandoned, and taken":       abandonedIsTaken,
		"what was taken meanwhile is not kept":       takenIsNotKept,
		"only the holder gives back":                 onlyTheHolderGivesBack,
		"many take many names, each of them once":    manyTake,
		"commits cross each other and none is stuck": commitsCross,
	} {
		t.Run(name, func(t *testing.T) {
			open := fresh(t)
			test(t, newLeaseProcess(t, open(t), "a"), newLeaseProcess(t, open(t), "b"), newLeaseProcess(t, open(t), "c"))
		})
	}
}

const longLease, noLease = time.Hour, time.Millisecond

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

func oneHolderAtATime(t *testing.T, a, b, _ *leaseProcess) {
	if lease := a.take("x", 1); !lease.Held || lease.Settled {
		t.Fatalf("a name that nobody has had: %+v", lease)
	}
	if other := b.take("x", 1); other.Held {
		t.Error("two hold it")
	}
	if own := a.take("x", 2); own.Held {
		t.Error("two turns of a process hold it")
	}
	a.giveBack("x", 1, true, 7)
	if lease := b.take("x", 2); lease != (audit.Lease{Held: true, Settled: true, Last: 7}) {
		t.Errorf("the next holder: %+v", lease)
	}
	b.giveBack("x", 2, true, 3)
	if lease := a.takeSoon("x", 3); lease != (audit.Lease{Held: true, Settled: true, Last: 7}) {
		t.Errorf("the last number went back: %+v", lease)
	}
}

func intentTakesTheNext(t *testing.T, a, b, _ *leaseProcess) {
	a.wantTaken(a.intend("x", 1, 0)) // nothing is known of the name
	a.take("x", 2)
	a.giveBack("x", 2, true, 5)
	for _, after := range []int64{4, 6, 0} {
		b.wantTaken(b.intend("x", 1, after))
	}
	if err := b.intend("x", 2, 5); err != nil {
		t.Fatal(err)
	}
	a.wantTaken(a.intend("x", 3, 5))
	if lease := a.take("x", 4); lease.Held {
		t.Error("it was taken from an exchange under way")
	}
	b.end("x", 2, true, 6)
	a.wantTaken(a.intend("x", 5, 5))
	if err := a.intend("x", 6, 6); err != nil {
		t.Error(err)
	}
	if a.writer.Size() != 1 || b.writer.Size() != 2 {
		t.Errorf("%d and %d records: one that takes no lease must not be written", a.writer.Size(), b.writer.Size())
	}
	for _, log := range []string{"a", "b"} {
		Verify(t, a.store, log)
	}
}

func unsettledIsSeen(t *testing.T, a, b, _ *leaseProcess) {
	a.take("x", 1)
	a.giveBack("x", 1, true, 5)
	if err := a.intend("x", 2, 5); err != nil {
		t.Fatal(err)
	}
	a.end("x", 2, false, 0)
	a.wantTaken(a.intend("x", 3, 5))
	if lease := b.take("x", 1); !lease.Held || lease.Settled {
		t.Errorf("%+v", lease)
	}
	b.end("x", 1, true, 6)
	if err := a.intend("x", 4, 6); err != nil {
		t.Errorf("settled: %v", err)
	}
}

func intentExtends(t *testing.T, a, b, _ *leaseProcess) {
	a.takeFor("x", 1, noLease)
	if err := a.intend("x", 1, 99); err != nil {
		t.Fatalf("the last number does not matter to who has the lease: %v", err)
	}
	if lease := b.take("x", 1); lease.Held {
		t.Error("it was not extended")
	}
	a.takeFor("y", 2, noLease)
	b.takeSoon("y", 2)
	a.wantTaken(a.intend("y", 2, 0))
}

// oneLeaseOneRecord: records of one batch, one of which takes a lease that another process has.
func oneLeaseOneRecord(t *testing.T, a, b, _ *leaseProcess) {
	const records = 20
	for i := range records {
		name := fmt.Sprint(i)
		a.take(name, 1)
		if i%7 != 3 {
			a.giveBack(name, 1, true, 0)
		}
	}
	var running sync.WaitGroup
	for i := range records {
		running.Go(func() {
			err := b.intend(fmt.Sprint(i), uint64(i), 0)
			if taken := errors.Is(err, audit.ErrLeaseTaken); taken != (i%7 == 3) || err != nil && !taken {
				t.Errorf("%d: %v", i, err)
			}
		})
	}
	running.Wait()
	Verify(t, b.store, "b")
}

func whoWaitsIsNext(t *testing.T, a, b, c *leaseProcess) {
	a.take("x", 1)
	b.take("x", 1)
	c.take("x", 1)
	b.wantFree("x", false)
	a.giveBack("x", 1, true, 5)
	a.wantTaken(a.intend("x", 2, 5))
	c.wantFree("x", false)
	if lease := c.take("x", 2); lease.Held {
		t.Error("it was not kept for who came first")
	}
	b.wantFree("x", true)
	if lease := b.take("x", 2); !lease.Held {
		t.Error("who waits does not get it")
	}
	a.take("x", 3)
	b.giveBack("x", 2, true, 5)
	c.takeSoon("x", 3) // a does not come
}

func abandonedIsTaken(t *testing.T, a, b, _ *leaseProcess) {
	a.takeFor("x", 1, noLease)
	a.take("y", 2)
	for {
		names, err := b.store.AbandonedLeases(t.Context(), 10)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Equal(names, []string{"x"}) {
			break
		}
		if len(names) > 0 {
			t.Fatalf("abandoned: %q", names)
		}
		rest(t)
	}
	b.wantFree("x", true)
	if lease := b.takeSoon("x", 1); lease.Settled {
		t.Error("what an abandoned name has open is not known")
	}
	if names, err := a.store.AbandonedLeases(t.Context(), 10); err != nil || len(names) != 0 {
		t.Errorf("still abandoned: %q, %v", names, err)
	}
}

func takenIsNotKept(t *testing.T, a, b, _ *leaseProcess) {
	a.takeFor("x", 1, noLease)
	a.take("y", 2)
	b.takeSoon("x", 1)
	held := map[string]audit.Holder{"x": a.holder(1), "y": a.holder(2)}
	if kept, err := a.store.ExtendLeases(t.Context(), held, longLease); err != nil || !slices.Equal(kept, []string{"y"}) {
		t.Errorf("kept %q, %v", kept, err)
	}
	a.end("x", 1, true, 9) // what it has sent is recorded, and changes nothing
	if lease := a.take("x", 3); lease.Held {
		t.Error("it was taken back from its holder")
	}
	b.giveBack("x", 1, true, 1)
	if lease := b.takeSoon("x", 2); lease.Last != 1 {
		t.Errorf("%+v", lease)
	}
}

func onlyTheHolderGivesBack(t *testing.T, a, b, _ *leaseProcess) {
	a.take("x", 1)
	b.giveBack("x", 1, true, 1)
	a.giveBack("x", 2, true, 1)
	b.giveBack("nothing of the kind", 1, true, 1)
	if lease := b.take("x", 2); lease.Held {
		t.Error("another one gave it back")
	}
}

func manyTake(t *testing.T, a, b, _ *leaseProcess) {
	names := []string{"1", "2", "3", "4", "5", "6", "7", "8"}
	var mu sync.Mutex // guards holders
	holders := map[string]int{}
	var running sync.WaitGroup
	for i := range 16 {
		p := a
		if i%2 == 1 {
			p = b
		}
		running.Go(func() {
			for _, name := range names {
				lease, err := p.store.TakeLease(t.Context(), name, p.holder(uint64(i)), longLease)
				if err != nil {
					t.Error(err)
				}
				if lease.Held {
					mu.Lock()
					holders[name]++
					mu.Unlock()
				}
			}
		})
	}
	running.Wait()
	for _, name := range names {
		if holders[name] != 1 {
			t.Errorf("%s has %d holders", name, holders[name])
		}
	}
}

// commitsCross has each process take in one batch what the other one returns in the same moment.
func commitsCross(t *testing.T, a, b, c *leaseProcess) {
	const series, rounds = 12, 25
	for i := range series {
		name := fmt.Sprint(i)
		a.take(name, 1)
		a.giveBack(name, 1, true, 0)
	}
	var running sync.WaitGroup
	for i := range series {
		running.Go(func() {
			processes, turn := []*leaseProcess{a, b, c}, uint64(2)
			for number := int64(0); number < rounds; turn++ {
				p := processes[(int(turn)+i)%3]
				switch err := p.intend(fmt.Sprint(i), turn, number); {
				case err == nil:
					number++
					p.end(fmt.Sprint(i), turn, true, number)
				case !errors.Is(err, audit.ErrLeaseTaken): // the row may be locked in this moment
					t.Error(err)
					return
				}
			}
		})
	}
	running.Wait()
	for _, log := range []string{"a", "b", "c"} {
		Verify(t, a.store, log)
	}
}
