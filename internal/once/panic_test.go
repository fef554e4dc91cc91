package once_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/clocks"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/internal/once/lease"
)

// poisoned is a service whose answers cannot be read without a panic while it is sick.
type poisoned struct {
	*fakeService
	sick     atomic.Bool
	panicked chan struct{} // a token for each panic, as far as there is room
}

func (p *poisoned) Ask(ctx context.Context, operation string, request any) (once.Reply, error) {
	if p.sick.Load() {
		select {
		case p.panicked <- struct{}{}:
		default:
		}
		var nothing *audit.Record
		_ = nothing.Kind // nil dereference
	}
	return p.fakeService.Ask(ctx, operation, request)
}

// TestAPanicClosesItsSeriesAndNothingElse: what cannot be read keeps its series closed, in the
// background and after a restart, and is settled once it can be read.
func TestAPanicClosesItsSeriesAndNothingElse(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		service := &poisoned{fakeService: g.service, panicked: make(chan struct{}, 1)}
		service.sick.Store(true)
		turn, err := g.coordinator.Enter(t.Context(), request("100", 1), service)
		if err != nil {
			t.Fatal(err)
		}
		intent, err := g.write(g.record(request("100", 1), audit.KindIntent))
		if err != nil {
			t.Fatal(err)
		}
		g.service.issue(request("100", 1))
		pending := once.PendingOf(request("100", 1), "id", intent, time.Now())
		pending.NoOutcome = true // the process dies below
		if s := turn.Recover(t.Context(), pending, service); s.Verdict != once.Undecided || s.Err == nil {
			t.Fatalf("%+v of an answer that panics, want undecided", s)
		}
		turn.Leave(once.Result{State: once.Unknown, Pending: pending})
		for range 3 {
			<-service.panicked
			if _, err := g.coordinator.Enter(t.Context(), request("100", 2), service); !errors.As(err, new(*once.UnsettledError)) {
				t.Fatalf("the next number of the series: %v, want UnsettledError", err)
			}
		}
		other := request("100", 1)
		other.Key.PtoVta = 2
		if turn, err := g.coordinator.Enter(t.Context(), other, g.service); err != nil {
			t.Errorf("another series: %v", err)
		} else {
			turn.Leave(once.Result{})
		}

		g.close()
		*g = *open(t, g.store, g.service)
		g.coordinator.Suspect([]once.OrderingKey{request("100", 1).Key.OrderingKey})
		g.coordinator.Meet(issuer, service, once.Policy{})
		for range 3 {
			<-service.panicked
		}
		service.sick.Store(false)
		if got := <-g.settled; got.verdict != once.Recovered {
			t.Errorf("%v once the answer can be read", got)
		}
		audittest.Verify(t, g.store, logName)
	})
}

// brokenLeases panics when leases are extended or returned, while it is sick.
type brokenLeases struct {
	audit.Leases
	sick atomic.Bool
}

func (b *brokenLeases) ExtendLeases(ctx context.Context, held map[string]audit.Holder, ttl time.Duration) ([]string, error) {
	if b.sick.Load() {
		panic("extending")
	}
	return b.Leases.ExtendLeases(ctx, held, ttl)
}

func (b *brokenLeases) ReturnLeases(ctx context.Context, changes []audit.LeaseChange) error {
	if b.sick.Load() {
		panic("giving back")
	}
	return b.Leases.ReturnLeases(ctx, changes)
}

// TestAPanicOverTheLeasesLetsThemRunOut: another gateway then takes the series, and this one
// continues once the leases work again.
func TestAPanicOverTheLeasesLetsThemRunOut(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		sick := &brokenLeases{Leases: c.leases}
		reported := make(chan error, 16)
		c.nodes++
		logs := func(context.Context) ([]string, error) { return []string{"edge-1", "edge-2"}, nil }
		leases := lease.New(sick, "edge-1", clocks.Now, func(err error) {
			select {
			case reported <- err:
			default:
			}
		})
		a := openNode(t, c.store, c.service, "edge-1", once.Settings{Leases: leases}, logs)
		t.Cleanup(a.close)
		b := c.join()
		c.wantApproved(&node{gateway: a}, request("100", 1))
		turn := enter(t, a, request("100", 2))
		if _, err := turn.Commit(a.record(request("100", 2), audit.KindIntent), a.writeWith); err != nil {
			t.Fatal(err)
		}
		sick.sick.Store(true)
		if err := <-reported; err == nil {
			t.Error("a panic over the leases is reported as nothing")
		}
		select {
		case err := <-reported:
			t.Errorf("reported again: %v", err)
		default:
		}
		b.sentWith = once.Policy{SeriesWait: time.Minute, AtWork: time.Second, RecoverWithin: time.Minute}
		c.wantApproved(b, request("100", 2))
		if turn.Held() {
			t.Error("it relies on a lease that another gateway has had")
		}
		turn.Leave(once.Result{State: once.NotSent})
		sick.sick.Store(false)
		a.sentWith = once.Policy{SeriesWait: time.Minute}
		c.wantApproved(&node{gateway: a}, request("100", 3))
		if err := <-reported; err != nil {
			t.Errorf("the store works again: %v", err)
		}
	})
}
