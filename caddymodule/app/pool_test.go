package app

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/caddyserver/caddy/v2"
)

// wearing is a resource that becomes of no use.
type wearing struct {
	opened
	spent bool
}

// wearingHandle returns a handle on such a resource. Each attempt to replace it takes a second,
// and fails with what failure holds.
func wearingHandle(t *testing.T, failure *error) *Handle[*wearing] {
	l := NewHandle(caddy.NewUsagePool(), "key", func() (*wearing, error) { return &wearing{opened: opened{true}}, nil })
	l.Reopener = &Reopener[*wearing]{
		Spent: func(w *wearing) bool { return w.spent },
		Reopen: func(ctx context.Context, spent *wearing) (*wearing, error) {
			if !spent.spent || !spent.open {
				t.Error("what is replaced is not spent, or closed before")
			}
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(time.Second):
			}
			if *failure != nil {
				return nil, *failure
			}
			return &wearing{opened: opened{true}}, nil
		},
	}
	if err := l.Start(); err != nil {
		t.Fatal(err)
	}
	return l
}

func mustEnter(t *testing.T, l *Handle[*wearing]) (*wearing, func()) {
	t.Helper()
	w, leave, err := l.Enter(t.Context())
	if err != nil || !w.open {
		t.Fatalf("%v %+v", err, w)
	}
	return w, leave
}

// TestASpentResourceIsReplaced by the caller that finds it spent. The old one is closed when its
// last user leaves.
func TestASpentResourceIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failure := errors.New("not yet")
		l := wearingHandle(t, &failure)
		first, leaveFirst := mustEnter(t, l)
		_, leaveSecond := mustEnter(t, l)
		first.spent = true
		leaveSecond()
		synctest.Wait()
		time.Sleep(time.Second) // the attempt fails
		synctest.Wait()
		if same, leave := mustEnter(t, l); same != first {
			t.Error("it was replaced by nothing")
		} else {
			leave()
		}
		failure = nil
		time.Sleep(reopenPause)
		_, leave := mustEnter(t, l) // begins the next one
		time.Sleep(time.Second)
		synctest.Wait()
		leave()
		next, leaveNext := mustEnter(t, l)
		if next == first || !first.open {
			t.Error("it was not replaced, or closed under who uses it")
		}
		leaveFirst()
		synctest.Wait()
		if first.open {
			t.Error("it is open although nobody uses it")
		}
		leaveNext()
		l.Stop()
		if next.open {
			t.Error("the one in its place was left open")
		}
	})
}

// TestAReplacementIsCheckedByEachConfiguration before a request may use it.
func TestAReplacementIsCheckedByEachConfiguration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var none, wrong error
		l := wearingHandle(t, &none)
		l.Check = func(*wearing) error { return wrong }
		first, leave := mustEnter(t, l)
		first.spent = true
		leave()
		time.Sleep(time.Second)
		synctest.Wait()
		wrong = errors.New("records are missing")
		if _, _, err := l.Enter(t.Context()); !errors.Is(err, wrong) {
			t.Errorf("%v, want that it is refused", err)
		}
		wrong = nil
		next, leave := mustEnter(t, l)
		leave()
		l.Stop()
		if first.open || next.open {
			t.Error("left open")
		}
	})
}

// TestAStopDoesNotWaitForAReplacement.
func TestAStopDoesNotWaitForAReplacement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var none error
		l := wearingHandle(t, &none)
		first, leave := mustEnter(t, l)
		first.spent = true
		leave()
		began := time.Now()
		l.Stop()
		if first.open || time.Since(began) > 0 {
			t.Errorf("open: %v, after %v", first.open, time.Since(began))
		}
	})
}
