package postgres_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/backend/postgres"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// bed is a server of its own for one test, behind a proxy, with two ledgers on one database.
type bed struct {
	cluster       *postgrestest.Cluster
	proxy         *postgrestest.Proxy
	dsn           string
	first, second *postgres.Ledger
}

func newBed(t *testing.T) *bed {
	b := &bed{cluster: postgrestest.New(t, "")}
	b.cluster.Exec(t, "postgres", "CREATE DATABASE ledger")
	b.proxy = postgrestest.NewProxy(t, b.cluster.Address())
	b.dsn = b.proxy.DSN(b.cluster, "ledger")
	b.first, b.second = open(t, b.dsn), open(t, b.dsn)
	t.Cleanup(func() { b.first.Close(); b.second.Close() })
	return b
}

// TestNothingIsLostOrIssuedTwice breaks the server and the connections under load. The
// ledgers must recover by themselves.
func TestNothingIsLostOrIssuedTwice(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func(*testing.T, *bed, *load){
		"stopped and started": func(t *testing.T, b *bed, l *load) {
			b.cluster.Stop(t)
			b.cluster.Start(t)
		},
		"killed": func(t *testing.T, b *bed, l *load) {
			for range 2 {
				b.cluster.Kill(t)
				b.cluster.Start(t)
				l.await(50)
			}
		},
		"cut at random": func(t *testing.T, b *bed, l *load) {
			random := rand.New(rand.NewPCG(7, 2026))
			for range 60 {
				l.await(1 + random.IntN(12))
				if random.IntN(2) == 0 {
					b.proxy.Cut()
				} else {
					b.proxy.Mute()
				}
			}
		},
		"out of disk": func(t *testing.T, b *bed, l *load) {
			for _, atCommit := range []bool{false, true} {
				end := b.cluster.FillDisk(t, "ledger", "ledger_invoices", atCommit)
				_, err := issueMarked(b.first, seriesOf(0), "too much", false)
				if err == nil || errors.Is(err, backend.ErrUncertain) || !strings.Contains(err.Error(), "the server's disk is full") {
					t.Errorf("%v", err)
				}
				end()
				l.await(50)
			}
		},
		"failed over": func(t *testing.T, b *bed, l *load) {
			b.cluster.Stop(t)
			b.proxy.Lead(b.cluster.Copy(t).Address())
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t)
			l := newLoad(t, b.first, b.second)
			l.await(100)
			fault(t, b, l)
			l.await(100)
			l.verify(b.first)
		})
	}
}

// issueAndThen issues an invoice and calls then right before the commit. It runs alone, so
// that the invoice has been written by then.
func issueAndThen(ledger backend.Ledger, mark string, then func(run int)) (runs int, err error) {
	ctx := context.Background()
	err = ledger.Update(ctx, func(tx backend.Tx) error {
		if _, err := tx.CAEA(ctx, "46450000000010"); err != nil && !errors.Is(err, backend.ErrNotFound) {
			return err
		}
		state, err := tx.Series(ctx, seriesOf(0))
		if err != nil {
			return err
		}
		if err := tx.Append(ctx, seriesOf(0), []backend.Invoice{marked(state.Last+1, mark)}); err != nil {
			return err
		}
		runs++
		then(runs)
		return nil
	})
	return runs, err
}

// marks returns the marks of a series.
func marks(t *testing.T, ledger backend.Ledger, series backend.Series) string {
	t.Helper()
	var all []string
	err := ledger.View(t.Context(), func(r backend.Reader) error {
		for v, err := range r.AllInvoices(t.Context(), series) {
			if err != nil {
				return err
			}
			all = append(all, string(v.Detail))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

func TestACommitWithoutAnAnswerIsLookedFor(t *testing.T) {
	b := newBed(t)
	if runs, err := issueAndThen(b.first, "kept", func(int) { b.proxy.Mute() }); err != nil || runs != 1 {
		t.Errorf("a commit whose answer was lost: %d runs, %v", runs, err)
	}
	runs, err := issueAndThen(b.first, "lost", func(run int) {
		if run == 1 {
			b.proxy.Cut()
		}
	})
	if err != nil || runs != 2 {
		t.Errorf("a commit that never came: %d runs, %v", runs, err)
	}
	if got := marks(t, b.first, seriesOf(0)); got != "kept lost" {
		t.Errorf("the series has %s", got)
	}
}

// TestACommitIsAskedAboutAgain: the ledger keeps asking while the server is unreachable.
func TestACommitIsAskedAboutAgain(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	var up sync.WaitGroup
	up.Go(func() {
		for range 20 {
			<-b.proxy.Refused()
		}
		b.proxy.Up()
	})
	runs, err := issueAndThen(b.first, "lost", func(run int) {
		if run == 1 {
			b.proxy.Down()
		}
	})
	up.Wait()
	if err != nil || runs != 2 {
		t.Errorf("%d runs, %v", runs, err)
	}
	if got := marks(t, b.first, seriesOf(0)); got != "lost" {
		t.Errorf("the series has %s", got)
	}
}

func TestACommitThatNobodyCanAskAboutIsUncertain(t *testing.T) {
	b := newBed(t)
	ledger, err := postgres.Open(t.Context(), b.dsn, postgres.Options{SettleWithin: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer ledger.Close()
	if _, err := issueAndThen(ledger, "sure", func(int) {}); err != nil {
		t.Fatal(err)
	}
	_, err = issueAndThen(ledger, "doubtful", func(int) { b.proxy.Down() })
	if !errors.Is(err, backend.ErrUncertain) || strings.Contains(err.Error(), postgrestest.Password) {
		t.Errorf("%v", err)
	}
	if _, err := issueMarked(ledger, seriesOf(0), "early", false); err == nil || errors.Is(err, backend.ErrUncertain) {
		t.Errorf("what cannot have begun: %v", err)
	}
	b.proxy.Up()
	if _, err := issueMarked(ledger, seriesOf(0), "later", false); err != nil {
		t.Errorf("the server is back: %v", err)
	}
	if got := marks(t, ledger, seriesOf(0)); got != "sure later" {
		t.Errorf("the series has %s", got)
	}
}

// TestASeriesThatSomebodyHoldsKeepsNobodyElseWaiting: an Update that waits too long for the
// held series fails and leaves nothing.
func TestASeriesThatSomebodyHoldsKeepsNobodyElseWaiting(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Shared(t).Database(t)
	ledger := open(t, dsn+"&statement_timeout=4000")
	defer ledger.Close()
	for i := range 3 {
		if _, err := issueMarked(ledger, seriesOf(i), "first", false); err != nil {
			t.Fatal(err)
		}
	}
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	hold := "BEGIN; SELECT last FROM ledger_series WHERE cuit < " + seriesOf(2).Cuit.String() + " FOR UPDATE"
	if _, err := conn.Exec(t.Context(), hold); err != nil {
		t.Fatal(err)
	}
	held := make(chan error, 6)
	for i := range cap(held) {
		go func() {
			_, err := issueMarked(ledger, seriesOf(i%2), "held", false)
			held <- err
		}()
	}
	for range 40 {
		if _, err := issueMarked(ledger, seriesOf(2), "free", false); err != nil {
			t.Error(err)
		}
	}
	if len(held) > 0 {
		t.Error("the others had to wait")
	}
	for range cap(held) {
		if err := <-held; err == nil || errors.Is(err, backend.ErrUncertain) {
			t.Errorf("an update of a series that is held: %v", err)
		}
	}
	if _, err := conn.Exec(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if _, err := issueMarked(ledger, seriesOf(0), "second", false); err != nil {
		t.Error(err)
	}
	if got := marks(t, ledger, seriesOf(0)); got != "first second" {
		t.Errorf("the series has %s", got)
	}
}
