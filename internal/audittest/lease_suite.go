package audittest

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
)

// LeaseSuite checks that leases keep the contract of audit.Leases. The function open is
// called twice in each test, for two processes that share a store.
func LeaseSuite(t *testing.T, fresh func(t *testing.T) (open func(t *testing.T) audit.Leases)) {
	for name, test := range map[string]func(*testing.T, audit.Leases, audit.Leases){
		"one holder at a time":                    oneHolderAtATime,
		"a wanted name is known to the holder":    waitingIsKnown,
		"what ran out is abandoned, and taken":    abandonedIsTaken,
		"what was taken meanwhile is not kept":    takenIsNotKept,
		"only the holder gives back":              onlyTheHolderGivesBack,
		"many take many names, each of them once": manyTake,
	} {
		t.Run(name, func(t *testing.T) {
			open := fresh(t)
			test(t, open(t), open(t))
		})
	}
}

const longLease, noLease = time.Hour, time.Millisecond

func take(t *testing.T, l audit.Leases, name, holder string, ttl time.Duration) audit.Lease {
	t.Helper()
	lease, err := l.TakeLease(t.Context(), name, holder, ttl)
	if err != nil {
		t.Fatalf("%s takes %s: %v", holder, name, err)
	}
	return lease
}

// takeSoon waits until a lease can be had.
func takeSoon(t *testing.T, l audit.Leases, name, holder string) audit.Lease {
	t.Helper()
	for {
		if lease := take(t, l, name, holder, longLease); lease.Held {
			return lease
		}
		rest(t)
	}
}

func oneHolderAtATime(t *testing.T, a, b audit.Leases) {
	first := take(t, a, "x", "a", longLease)
	if !first.Held {
		t.Fatal("a free name cannot be taken")
	}
	if again := take(t, a, "x", "a", longLease); again != first {
		t.Errorf("the holder takes it again: %+v, before %+v", again, first)
	}
	if other := take(t, b, "x", "b", longLease); other.Held {
		t.Error("two hold it")
	}
	if err := a.ReturnLeases(t.Context(), "a", []string{"x"}); err != nil {
		t.Fatal(err)
	}
	if again := take(t, a, "x", "a", longLease); again != first {
		t.Errorf("the last holder takes it back: %+v, before %+v: nobody had it meanwhile", again, first)
	}
	if err := a.ReturnLeases(t.Context(), "a", []string{"x"}); err != nil {
		t.Fatal(err)
	}
	if next := take(t, b, "x", "b", longLease); !next.Held || next.Generation == first.Generation {
		t.Errorf("the next holder: %+v, before %+v", next, first)
	}
}

func waitingIsKnown(t *testing.T, a, b audit.Leases) {
	take(t, a, "x", "a", longLease)
	take(t, a, "y", "a", longLease)
	take(t, b, "y", "b", longLease)
	for _, l := range []audit.Leases{a, b} {
		if _, wanted, err := l.TendLeases(t.Context(), "a", nil, longLease); err != nil || !slices.Equal(wanted, []string{"y"}) {
			t.Errorf("wanted of a: %q, %v", wanted, err)
		}
		if _, wanted, err := l.TendLeases(t.Context(), "b", nil, longLease); err != nil || len(wanted) != 0 {
			t.Errorf("wanted of b: %q, %v", wanted, err)
		}
	}
	if err := a.ReturnLeases(t.Context(), "a", []string{"y"}); err != nil {
		t.Fatal(err)
	}
	take(t, b, "y", "b", longLease)
	if _, wanted, err := b.TendLeases(t.Context(), "b", nil, longLease); err != nil || len(wanted) != 0 {
		t.Errorf("wanted when it was taken: %q, %v", wanted, err)
	}
}

func abandonedIsTaken(t *testing.T, a, b audit.Leases) {
	first := take(t, a, "x", "a", noLease)
	take(t, a, "y", "a", longLease)
	for {
		names, err := b.AbandonedLeases(t.Context(), 10)
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
	if next := takeSoon(t, b, "x", "b"); next.Generation == first.Generation {
		t.Errorf("%+v after %+v", next, first)
	}
	if names, err := a.AbandonedLeases(t.Context(), 10); err != nil || len(names) != 0 {
		t.Errorf("still abandoned: %q, %v", names, err)
	}
}

func takenIsNotKept(t *testing.T, a, b audit.Leases) {
	take(t, a, "x", "a", noLease)
	take(t, a, "y", "a", longLease)
	takeSoon(t, b, "x", "b")
	if kept, _, err := a.TendLeases(t.Context(), "a", []string{"x", "y"}, longLease); err != nil || !slices.Equal(kept, []string{"y"}) {
		t.Errorf("kept %q, %v", kept, err)
	}
	if lease := take(t, a, "x", "a", longLease); lease.Held {
		t.Error("it was taken back from its holder")
	}
}

func onlyTheHolderGivesBack(t *testing.T, a, b audit.Leases) {
	take(t, a, "x", "a", longLease)
	if err := b.ReturnLeases(t.Context(), "b", []string{"x", "nothing"}); err != nil {
		t.Fatal(err)
	}
	if lease := take(t, b, "x", "b", longLease); lease.Held {
		t.Error("another one gave it back")
	}
}

func manyTake(t *testing.T, a, b audit.Leases) {
	names := []string{"1", "2", "3", "4", "5", "6", "7", "8"}
	var mu sync.Mutex // guards holders
	holders := map[string][]string{}
	var running sync.WaitGroup
	for i := range 16 {
		l, holder := a, "a"
		if i%2 == 1 {
			l, holder = b, "b"
		}
		holder += string(rune('0' + i/2))
		running.Go(func() {
			for _, name := range names {
				lease, err := l.TakeLease(t.Context(), name, holder, longLease)
				if err != nil {
					t.Error(err)
				}
				if lease.Held {
					mu.Lock()
					holders[name] = append(holders[name], holder)
					mu.Unlock()
				}
			}
		})
	}
	running.Wait()
	for _, name := range names {
		if len(holders[name]) != 1 {
			t.Errorf("%s is held by %q", name, holders[name])
		}
	}
}
