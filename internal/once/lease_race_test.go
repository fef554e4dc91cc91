package once_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/once"
)

// stalledLeases do not answer while stalled is set, and slowly while slow is.
type stalledLeases struct{ stalled, slow atomic.Bool }

func (s *stalledLeases) TakeLease(context.Context, string, string, time.Duration) (audit.Lease, error) {
	if s.slow.Load() {
		time.Sleep(500 * time.Millisecond)
	}
	return audit.Lease{Held: true, Generation: 1}, nil
}

func (s *stalledLeases) TendLeases(_ context.Context, _ string, due []string, _ time.Duration) (kept, wanted []string, err error) {
	if s.stalled.Load() {
		return nil, nil, errors.New("the store does not answer")
	}
	return due, nil, nil
}

func (s *stalledLeases) ReturnLeases(context.Context, string, []string) error {
	time.Sleep(time.Second)
	return nil
}

func (s *stalledLeases) AbandonedLeases(context.Context, int) ([]string, error) { return nil, nil }

// TestARequestMeetsALeaseThatHasRunOut, of a queue that was to be given back in the same moment:
// the store was away for as long as the lease lasts.
func TestARequestMeetsALeaseThatHasRunOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &stalledLeases{}
		leases := once.NewLeaseManager(store, "a", func(error) {})
		g := openNode(t, audittest.NewMemory(), newService(), logName, once.Settings{Leases: leases}, nil)
		defer g.close()
		enter(t, g, request("100", 1)).Leave(once.Result{State: once.NotSent})
		store.stalled.Store(true)
		time.Sleep(9 * time.Second)
		store.stalled.Store(false)
		store.slow.Store(true)
		turn := enter(t, g, request("100", 2))
		time.Sleep(2 * time.Second) // what was begun meanwhile has ended
		synctest.Wait()
		if !turn.Held() {
			t.Error("the queue was taken, and is not held")
		}
		turn.Leave(once.Result{State: once.NotSent})
	})
}
