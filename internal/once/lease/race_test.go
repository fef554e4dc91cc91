package lease_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/clocks"
	"github.com/fielato/fielato/internal/once/lease"
)

// stalledLeases do not extend a lease while stalled is set.
type stalledLeases struct {
	audit.Leases
	stalled atomic.Bool
}

func (s *stalledLeases) ExtendLeases(ctx context.Context, held map[string]audit.Holder, ttl time.Duration) ([]string, error) {
	if s.stalled.Load() {
		return nil, errors.New("the store does not answer")
	}
	return s.Leases.ExtendLeases(ctx, held, ttl)
}

// TestALeaseThatIsNotExtendedEndsHereFirst: a second before another process can have it.
func TestALeaseThatIsNotExtendedEndsHereFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &stalledLeases{Leases: new(audittest.Leases)}
		leases := lease.New(store, "a", clocks.Now, func(error) {})
		leases.Start(func([]string) {})
		defer leases.Close()
		const name = "/20111111112/1/6/"
		holder := leases.Next()
		if _, err := leases.Take(t.Context(), name, holder); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if !leases.Holds(name, holder) {
			t.Fatal("it is not extended")
		}
		store.stalled.Store(true)
		for leases.Holds(name, holder) {
			free, err := store.FreeLeases(t.Context(), "b", []string{name})
			if err != nil || len(free) > 0 {
				t.Fatalf("another process can have it, and this one relies on it: %v", err)
			}
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(time.Second)
		if free, err := store.FreeLeases(t.Context(), "b", []string{name}); err != nil || len(free) != 1 {
			t.Errorf("another process cannot have it: %q, %v", free, err)
		}
	})
}
