package audittest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
)

// Process is a store of one of several processes that share a database.
type Process struct {
	Store audit.Store
	// Cut keeps the store from its database until Heal is called.
	Cut, Heal func()
	// Pass lets as much time pass, by all clocks, as a claim lasts that is not renewed.
	Pass func()
}

// OpenProcess opens the store of another process on the database of a test. The test closes
// it.
type OpenProcess func(t *testing.T) Process

// ClaimSuite checks that a store keeps the contract of audit.Claimer. The function fresh is
// called once for each test. Claims of its stores should last for many seconds: a process on a busy
// machine renews them late. One test waits for that long, and the others meanwhile run one after the
// other.
func ClaimSuite(t *testing.T, fresh func(t *testing.T) OpenProcess) {
	t.Run("a claim lives as long as its process", func(t *testing.T) {
		t.Parallel()
		claimIsRenewed(t, fresh(t))
	})
	t.Run("a claim and other processes", func(t *testing.T) {
		t.Parallel()
		for name, test := range map[string]func(*testing.T, OpenProcess){
			"the second is refused with what to do":         secondIsRefused,
			"given up, it is free":                          givenUpIsFree,
			"lost, it writes nothing more":                  lostWritesNothing,
			"not taken meanwhile, it goes on":               lostGoesOn,
			"coming back after another took over it is out": pausedIsOut,
		} {
			t.Run(name, func(t *testing.T) { test(t, fresh(t)) })
		}
	})
}

// claim claims the log of the tests for a store.
func claim(t *testing.T, p Process, holder string) (audit.Claim, error) {
	t.Helper()
	return p.Store.(audit.Claimer).Claim(t.Context(), logName, holder)
}

func mustClaim(t *testing.T, p Process, holder string) audit.Claim {
	t.Helper()
	c, err := claim(t, p, holder)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// claimed claims as soon as that can be.
func claimed(t *testing.T, p Process, holder string) audit.Claim {
	t.Helper()
	for began := time.Now(); ; {
		c, err := claim(t, p, holder)
		if err == nil {
			return c
		}
		if !errors.Is(err, audit.ErrTaken) || time.Since(began) > time.Minute {
			t.Fatal(err)
		}
		rest(t)
	}
}

// rest is the pause between two questions about what ends by itself: without it a test keeps
// a processor busy that others wait for.
func rest(t *testing.T) {
	t.Helper()
	select {
	case <-time.After(50 * time.Millisecond):
	case <-t.Context().Done():
	}
}

func release(t *testing.T, c audit.Claim) {
	t.Helper()
	if err := c.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

// notLost fails if a claim was lost.
func notLost(t *testing.T, c audit.Claim) {
	t.Helper()
	select {
	case <-c.Lost():
		t.Error("the claim was lost")
	default:
	}
}

func waitLost(t *testing.T, c audit.Claim) {
	t.Helper()
	select {
	case <-c.Lost():
	case <-time.After(time.Minute):
		t.Fatal("the claim was not lost")
	}
}

func secondIsRefused(t *testing.T, open OpenProcess) {
	a, b := open(t), open(t)
	defer closeStore(t, a.Store)
	defer closeStore(t, b.Store)
	c := mustClaim(t, a, "process 71 on host b")
	for name, err := range map[string]error{
		"claim by another": func() error { _, err := claim(t, b, "process 8"); return err }(),
		"claim again":      func() error { _, err := claim(t, a, "process 71 on host b"); return err }(),
		"commit":           commit(t, b.Store, logName, 0, NewSource(41).Issue(1)),
	} {
		taken := new(audit.TakenError)
		if !errors.Is(err, audit.ErrTaken) || !errors.As(err, &taken) {
			t.Fatalf("%s: %v, want ErrTaken", name, err)
		}
		if taken.Log != logName || taken.Holder != "process 71 on host b" || !taken.Until.After(taken.Since) || taken.Left <= 0 || taken.Left > taken.Until.Sub(taken.Since) {
			t.Errorf("%s: %+v", name, taken)
		}
		for _, says := range []string{logName, "process 71 on host b", "another node name", "wait until"} {
			if !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v; want %q", name, err, says)
			}
		}
	}
	other, err := b.Store.(audit.Claimer).Claim(t.Context(), "another", "process 8")
	if err != nil {
		t.Fatalf("another log: %v", err)
	}
	must(t, b.Store, "another", 0, NewSource(42).Issue(1))
	must(t, a.Store, logName, 0, NewSource(43).Issue(1))
	notLost(t, c)
	notLost(t, other)
	// Readers do not need the claim.
	Verify(t, b.Store, logName)
}

func givenUpIsFree(t *testing.T, open OpenProcess) {
	a, b := open(t), open(t)
	defer closeStore(t, b.Store)
	first := mustClaim(t, a, "a")
	must(t, a.Store, logName, 0, NewSource(44).Issue(1))
	release(t, first)
	second := mustClaim(t, b, "b")
	release(t, first) // a second time, which must not be about the other's claim
	must(t, b.Store, logName, 1, NewSource(45).Issue(1))
	if err := commit(t, a.Store, logName, 2, NewSource(46).Issue(1)); !errors.Is(err, audit.ErrTaken) {
		t.Errorf("commit after the claim was given up: %v, want ErrTaken", err)
	}
	release(t, second)
	third := mustClaim(t, a, "a again")
	must(t, a.Store, logName, 2, NewSource(47).Issue(1))
	notLost(t, third)
	closeStore(t, a.Store)
	mustClaim(t, b, "b again")
	must(t, b.Store, logName, 3, NewSource(48).Issue(1))
	Verify(t, b.Store, logName)
}

// claimIsRenewed holds a claim for longer than it lasts by itself.
func claimIsRenewed(t *testing.T, open OpenProcess) {
	a, b := open(t), open(t)
	defer closeStore(t, a.Store)
	defer closeStore(t, b.Store)
	c := mustClaim(t, a, "a")
	first := new(audit.TakenError)
	if _, err := claim(t, b, "b"); !errors.As(err, &first) {
		t.Fatal(err)
	}
	for index := uint64(0); ; index++ {
		must(t, a.Store, logName, index, NewSource(index).Issue(1))
		now := new(audit.TakenError)
		if _, err := claim(t, b, "b"); !errors.As(err, &now) {
			t.Fatalf("the claim has ended: %v", err)
		}
		if !now.Since.Equal(first.Since) {
			t.Fatalf("claimed since %v, and since %v", first.Since, now.Since)
		}
		if now.Until.After(first.Until.Add(first.Until.Sub(first.Since))) {
			break
		}
		for range 5 { // it takes seconds, and each round writes
			rest(t)
		}
	}
	notLost(t, c)
}

func lostWritesNothing(t *testing.T, open OpenProcess) {
	a, b := open(t), open(t)
	defer closeStore(t, b.Store)
	c := mustClaim(t, a, "a")
	must(t, a.Store, logName, 0, NewSource(51).Issue(1))
	a.Cut()
	a.Pass()
	waitLost(t, c)
	if err := commitAt(a.Store, Seal(t, b.Store, logName, NewSource(52).Issue(1))); !errors.Is(err, audit.ErrClaimLost) {
		t.Errorf("commit without a database: %v, want ErrClaimLost", err)
	}
	claimed(t, b, "b")
	must(t, b.Store, logName, 1, NewSource(53).Issue(1))
	a.Heal()
	if err := commitAt(a.Store, Seal(t, b.Store, logName, NewSource(54).Issue(1))); !errors.Is(err, audit.ErrClaimLost) || !errors.Is(err, audit.ErrTaken) {
		t.Errorf("commit after another has taken over: %v, want ErrClaimLost and ErrTaken", err)
	}
	closeStore(t, a.Store)
	must(t, b.Store, logName, 2, NewSource(55).Issue(1))
	Verify(t, b.Store, logName)
}

// commitAt is Commit whatever becomes of the test.
func commitAt(s audit.Store, batch audit.Batch) error {
	return s.Commit(context.Background(), batch)
}

func lostGoesOn(t *testing.T, open OpenProcess) {
	a, b := open(t), open(t)
	defer closeStore(t, a.Store)
	defer closeStore(t, b.Store)
	c := mustClaim(t, a, "a")
	must(t, a.Store, logName, 0, NewSource(56).Issue(1))
	a.Cut()
	a.Pass()
	waitLost(t, c)
	a.Heal()
	must(t, a.Store, logName, 1, NewSource(57).Issue(1))
	if _, err := claim(t, b, "b"); !errors.Is(err, audit.ErrTaken) {
		t.Errorf("the claim was not taken again: %v", err)
	}
	Verify(t, a.Store, logName)
}

// pausedIsOut: another has written and given up meanwhile, so that the claim is free again. The
// first one's memory of the log is out of date.
func pausedIsOut(t *testing.T, open OpenProcess) {
	a, b := open(t), open(t)
	defer closeStore(t, a.Store)
	defer closeStore(t, b.Store)
	c := mustClaim(t, a, "a")
	must(t, a.Store, logName, 0, NewSource(58).Issue(1))
	stale := Seal(t, a.Store, logName, NewSource(59).Issue(1))
	a.Cut()
	a.Pass()
	waitLost(t, c)
	other := claimed(t, b, "b")
	must(t, b.Store, logName, 1, NewSource(60).Issue(1))
	release(t, other)
	a.Heal()
	if err := a.Store.Commit(t.Context(), stale); !errors.Is(err, audit.ErrConflict) {
		t.Errorf("a batch of before: %v, want ErrConflict", err)
	}
	must(t, a.Store, logName, 2, NewSource(61).Issue(1))
	Verify(t, a.Store, logName)
}
