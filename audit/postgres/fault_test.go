package postgres_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/postgres"
	"github.com/fielato/fielato/internal/audittest"
	internal "github.com/fielato/fielato/internal/postgres"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// faulty is a trail on a server of its own, behind a proxy, with appends under way.
type faulty struct {
	cluster *postgrestest.Cluster
	proxy   *postgrestest.Proxy
	store   *postgres.Store
	trail   *audit.Writer

	stop    context.CancelFunc
	writers sync.WaitGroup
	// acknowledged counts the appends that have returned an index.
	acknowledged atomic.Int64
	// uncertain counts those whose outcome was unknown.
	uncertain atomic.Int64

	mu    sync.Mutex // guards what follows
	known map[uint64]*audit.Record
	// failed are the identifiers of records reported not to be in the log.
	failed map[string]bool
}

// underFaults starts appending: 8 goroutines append record after record, whatever happens. Small blocks are merged
// meanwhile.
// An uncertain record is appended again, as a gateway does.
func underFaults(t *testing.T, parameters string) *faulty {
	t.Helper()
	cluster := postgrestest.New(t, "")
	cluster.Exec(t, "postgres", "CREATE DATABASE trail")
	f := &faulty{cluster: cluster, proxy: postgrestest.NewProxy(t, cluster.Address()), known: map[uint64]*audit.Record{}, failed: map[string]bool{}}
	f.store = open(t, f.proxy.DSN(cluster, "trail")+parameters, postgres.WithShape(postgres.Options{}, 1, 30))
	if _, err := f.store.Claim(t.Context(), "gateway-1", "the one"); err != nil {
		t.Fatal(err)
	}
	var err error
	f.trail, err = audit.Open(t.Context(), f.store, "gateway-1", audittest.Key(t, "gateway-1"), audit.Options{First: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	f.stop = cancel
	t.Cleanup(func() { cancel(); f.writers.Wait() })
	for seed := range uint64(8) {
		f.writers.Go(func() { f.append(ctx, audittest.NewSource(seed)) })
	}
	f.await(t, 50)
	return f
}

func (f *faulty) append(ctx context.Context, source *audittest.Source) {
	for ctx.Err() == nil {
		r := source.Issue(1)
		source.Answer(r)
		index, err := f.trail.Append(context.Background(), r)
		if errors.Is(err, audit.ErrUncertain) {
			f.uncertain.Add(1)
			for err != nil && ctx.Err() == nil {
				index, err = f.trail.Append(context.Background(), r)
			}
			if err != nil {
				return // it stays uncertain
			}
		}
		f.mu.Lock()
		if err != nil {
			f.failed[r.ID] = true
		} else {
			f.known[index] = r
			f.acknowledged.Add(1)
		}
		f.mu.Unlock()
	}
}

// await waits until so many more appends were acknowledged: it continues by itself.
func (f *faulty) await(t *testing.T, more int64) {
	t.Helper()
	enough, tick := f.acknowledged.Load()+more, time.NewTicker(5*time.Millisecond)
	defer tick.Stop()
	for limit := time.Now().Add(time.Minute); f.acknowledged.Load() < enough; <-tick.C {
		if time.Now().After(limit) {
			t.Fatalf("appending does not go on: %d acknowledged, %d uncertain", f.acknowledged.Load(), f.uncertain.Load())
		}
	}
}

// check stops appending. Through another store that goes past the proxy, it compares the
// acknowledged records with the stored ones.
func (f *faulty) check(t *testing.T, dsn string) {
	t.Helper()
	f.stop()
	f.writers.Wait()
	if err := f.trail.Close(); err != nil {
		t.Error(err)
	}
	f.store.Merge(t.Context(), "gateway-1")
	closeStore(t, f.store)
	s, err := postgres.OpenReader(t.Context(), dsn, postgres.WithShape(postgres.Options{}, 1, 30))
	if err != nil {
		t.Fatal(err)
	}
	defer closeStore(t, s)
	audittest.Verify(t, s, "gateway-1")
	if levels, err := s.Cover(t.Context(), "gateway-1"); err != nil || slices.Max(levels) == 0 {
		t.Errorf("nothing was merged: runs of the levels %v, %v", levels, err)
	}
	seen := map[string]bool{}
	for r, err := range s.Search(t.Context(), audit.Query{Log: "gateway-1"}) {
		if err != nil {
			t.Fatal(err)
		}
		if own := f.known[r.Index]; own != nil && own.ID != r.ID {
			t.Fatalf("record %d is another than was acknowledged", r.Index)
		}
		if f.failed[r.ID] {
			t.Fatalf("record %d is in the log, and was said not to be", r.Index)
		}
		if seen[r.ID] {
			t.Fatalf("record %d is in the log twice", r.Index)
		}
		seen[r.ID] = true
		delete(f.known, r.Index)
	}
	if len(f.known) > 0 {
		t.Fatalf("%d acknowledged records are lost", len(f.known))
	}
	t.Logf("%d acknowledged, %d failed, %d uncertain at first, %d in the log", f.acknowledged.Load(), len(f.failed), f.uncertain.Load(), len(seen))
}

func TestServerStoppedUnderAppends(t *testing.T) {
	for name, end := range map[string]func(*postgrestest.Cluster, testing.TB){
		"stopped": (*postgrestest.Cluster).Stop, "killed": (*postgrestest.Cluster).Kill,
	} {
		t.Run(name, func(t *testing.T) {
			f := underFaults(t, "")
			for range 3 {
				end(f.cluster, t)
				f.cluster.Start(t)
				f.await(t, 100)
			}
			f.check(t, f.cluster.DSN("trail"))
		})
	}
}

func TestConnectionsCutUnderAppends(t *testing.T) {
	f := underFaults(t, "")
	random := rand.New(rand.NewPCG(20261121, 0))
	for range 40 {
		switch random.IntN(3) {
		case 0:
			f.proxy.Cut()
		case 1:
			f.proxy.Mute() // of a commit, or of anything else
		case 2:
			f.proxy.Down()
			f.proxy.Up()
		}
		f.await(t, 1+random.Int64N(30))
	}
	f.check(t, f.cluster.DSN("trail"))
}

// TestFailoverUnderAppends: the copy is of the moment at which the first server has ended,
// as a synchronous replica is.
func TestFailoverUnderAppends(t *testing.T) {
	f := underFaults(t, "")
	f.cluster.Kill(t)
	replica := f.cluster.Copy(t)
	f.proxy.Lead(replica.Address())
	f.await(t, 200)
	f.check(t, replica.DSN("trail"))
}

// TestFullDiskUnderAppends: the error of a record that does not fit states that it is not in
// the log, and what to do. Appending continues as soon as there is space again.
func TestFullDiskUnderAppends(t *testing.T) {
	for name, atCommit := range map[string]bool{"with the statement": false, "with the commit": true} {
		t.Run(name, func(t *testing.T) {
			f := underFaults(t, "")
			for _, table := range []string{"audit_segments", "audit_checkpoints"} {
				end := f.cluster.FillDisk(t, "trail", table, atCommit)
				_, err := f.trail.Append(t.Context(), audittest.NewSource(100).Issue(1))
				if !internal.HasCode(err, "53100") || errors.Is(err, audit.ErrUncertain) || !strings.Contains(err.Error(), "the server's disk is full") {
					t.Errorf("%s: %v", table, err)
				}
				end()
				f.await(t, 100)
			}
			f.check(t, f.cluster.DSN("trail"))
		})
	}
}

// TestStatementTimeoutUnderAppends: the server ends a commit that waits for a lock, and Head,
// which waits for the same lock instead of guessing. Both work again afterwards.
func TestStatementTimeoutUnderAppends(t *testing.T) {
	f := underFaults(t, "&statement_timeout=200")
	dsn := f.cluster.DSN("trail")
	end := hold(t, dsn, "SELECT 1")
	for f.uncertain.Load() == 0 {
		postgrestest.AwaitLocked(t, dsn)
	}
	end()
	f.await(t, 100)
	f.check(t, dsn)
}
