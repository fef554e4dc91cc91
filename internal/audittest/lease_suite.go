package audittest

import (
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
