package postgres_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/postgres"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// TestClaimsConform, whatever the clocks of the processes show.
func TestClaimsConform(t *testing.T) {
	t.Parallel()
	for name, wrong := range map[string][]time.Duration{
		"clocks that agree": {0}, "an hour behind and an hour ahead": {-time.Hour, time.Hour}, "an hour ahead and an hour behind": {time.Hour, -time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			claimsConform(t, wrong)
		})
	}
}

// claimFor leaves a process two thirds of it, for a renewal that is late on a busy machine.
const claimFor = 12 * time.Second

// claimsConform runs the suite with processes whose clocks are wrong, in turn.
func claimsConform(t *testing.T, wrong []time.Duration) {
	audittest.ClaimSuite(t, func(t *testing.T) audittest.OpenProcess {
		cluster := postgrestest.Shared(t)
		dsn := cluster.Database(t)
		database := postgrestest.DatabaseOf(t, dsn)
		closeStore(t, open(t, dsn, postgres.Options{}))
		var passed atomic.Int64
		pass := func() {
			passed.Add(int64(claimFor))
			cluster.Exec(t, database, fmt.Sprintf("UPDATE audit_leases SET expires = expires - %d WHERE expires > 0", claimFor.Microseconds()))
		}
		opened := 0
		return func(t *testing.T) audittest.Process {
			proxy := postgrestest.NewProxy(t, cluster.Address())
			off := wrong[opened%len(wrong)]
			opened++
			s := open(t, proxy.DSN(cluster, database), postgres.Options{
				ClaimFor: claimFor, Now: func() time.Time { return time.Now().Add(off + time.Duration(passed.Load())) },
			})
			return audittest.Process{Store: s, Cut: proxy.Down, Heal: proxy.Up, Pass: pass}
		}
	})
}

// TestTheServerStopsWhoWasPaused: a process whose clock stood still takes its claim for good
// after another has taken over. The transaction of its commit finds out.
func TestTheServerStopsWhoWasPaused(t *testing.T) {
	cluster := postgrestest.Shared(t)
	dsn := cluster.Database(t)
	proxy := postgrestest.NewProxy(t, cluster.Address())
	stands := time.Now()
	options := postgres.Options{ClaimFor: time.Second, Now: func() time.Time { return stands }}
	paused, other := open(t, proxy.DSN(cluster, postgrestest.DatabaseOf(t, dsn)), options), open(t, dsn, postgres.Options{})
	defer closeStore(t, paused)
	defer closeStore(t, other)
	if _, err := paused.Claim(t.Context(), "gateway-1", "paused"); err != nil {
		t.Fatal(err)
	}
	source := audittest.NewSource(1)
	commit(t, paused, source.Issue(1))
	batch := audittest.Seal(t, paused, "gateway-1", source.Issue(1))
	proxy.Down()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		_, err := other.Claim(t.Context(), "gateway-1", "other")
		if err == nil {
			break
		}
		if !errors.Is(err, audit.ErrTaken) {
			t.Fatal(err)
		}
		<-tick.C
	}
	proxy.Up()
	if err := paused.Commit(t.Context(), batch); !errors.Is(err, audit.ErrClaimLost) || !errors.Is(err, audit.ErrTaken) {
		t.Errorf("commit after the pause: %v, want ErrClaimLost and ErrTaken", err)
	}
	if head, err := other.Head(t.Context(), "gateway-1"); err != nil || head.Size != 1 {
		t.Errorf("%d records, %v; want 1", head.Size, err)
	}
}

// TestAReleasedClaimIsNotTakenAgain by a commit that had found it before: nobody would release it a second time, and
// whoever opens the log next would wait for its end.
func TestAReleasedClaimIsNotTakenAgain(t *testing.T) {
	dsn := postgrestest.Shared(t).Database(t)
	s, other := open(t, dsn, postgres.Options{}), open(t, dsn, postgres.Options{})
	defer closeStore(t, s)
	defer closeStore(t, other)
	claim, err := s.Claim(t.Context(), "gateway-1", "spent")
	if err != nil {
		t.Fatal(err)
	}
	hold := s.Holding("gateway-1")
	if err := claim.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := hold(t.Context()); !errors.Is(err, audit.ErrClaimLost) {
		t.Errorf("a commit that comes late: %v, want ErrClaimLost", err)
	}
	if _, err := other.Claim(t.Context(), "gateway-1", "next"); err != nil {
		t.Errorf("the next holder: %v", err)
	}
}

// TestClaimingAgainLeavesOneClaim: a second Claim, made instead of waiting for a lost one, is
// refused because the lost one came back, or replaces it. Once both are released the log is
// free.
func TestClaimingAgainLeavesOneClaim(t *testing.T) {
	cluster := postgrestest.Shared(t)
	dsn := cluster.Database(t)
	proxy := postgrestest.NewProxy(t, cluster.Address())
	s := open(t, proxy.DSN(cluster, postgrestest.DatabaseOf(t, dsn)), postgres.Options{ClaimFor: time.Second})
	defer closeStore(t, s)
	first, err := s.Claim(t.Context(), "gateway-1", "first")
	if err != nil {
		t.Fatal(err)
	}
	proxy.Down()
	<-first.Lost()
	proxy.Up()
	claims := []audit.Claim{first}
	switch second, err := s.Claim(t.Context(), "gateway-1", "second"); {
	case err == nil:
		claims = append(claims, second)
	case !errors.Is(err, audit.ErrTaken):
		t.Fatal(err)
	}
	commit(t, s, audittest.NewSource(1).Issue(1))
	for _, c := range claims {
		if err := c.Release(t.Context()); err != nil {
			t.Error(err)
		}
	}
	other := open(t, dsn, postgres.Options{})
	defer closeStore(t, other)
	if _, err := other.Claim(t.Context(), "gateway-1", "other"); err != nil {
		t.Errorf("after both were given up: %v", err)
	}
}
