package postgres_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/fielato/fielato/internal/postgres"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

func open(t *testing.T, dsn string) *postgres.Pool {
	t.Helper()
	pool, err := postgres.Open(t.Context(), dsn, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func TestNoErrorShowsThePassword(t *testing.T) {
	const secret = "geheim-im-dsn"
	for _, dsn := range []string{
		"postgres://u:" + secret + "@host:port/db",
		"postgres://u:" + secret + "%zz@host/db",
		"host=h password=" + secret + " port=x",
		"host=h password='" + secret,
		"postgres://u:" + secret + "@h/db?sslmode=" + secret,
		"postgres://u:" + secret + "@h/db?sslrootcert=/does/not/exist",
		"postgres://u:" + secret + "@h/db?pool_max_conns=" + secret,
		"postgres://" + secret + ":" + secret + "@127.0.0.1:1/db",
	} {
		pool, err := postgres.Open(t.Context(), dsn, postgres.Options{})
		if err == nil {
			_, err = pool.Exec(t.Context(), "SELECT 1")
			err = pool.Explain("asking", err)
			pool.Close()
		}
		if err == nil {
			t.Errorf("%s was taken", dsn)
			continue
		}
		if text := err.Error(); strings.Contains(text, secret) && !strings.Contains(dsn, "//"+secret) || strings.Contains(text, ":"+secret) {
			t.Errorf("the error shows the password: %s", text)
		}
	}
	if address, err := postgres.Address("postgres://u:" + secret + "@db.example:5433/invoices"); err != nil || address != "postgres://db.example:5433/invoices" {
		t.Errorf("%s, %v", address, err)
	}
}

// TestAPasswordIsNotTakenForAnAddress: one with a character that ends the address of a URL would be shown.
func TestAPasswordIsNotTakenForAnAddress(t *testing.T) {
	for password, taken := range map[string]bool{
		"geheim": true, "geheim%2F%40": true, "geh=eim": true, "geh+eim": true,
		"12?geheim": true, "12#geheim": true, "12/geheim": false, "12/geheim=": false,
		"geh@eim": false, "ge@he=im": false, "geh@im/eim": false, "geh@12?eim": false, "geh@12#eim": false,
	} {
		address, err := postgres.Address("postgres://u:" + password + "@db.example:5433/invoices?sslmode=disable&application_name=a@b")
		if (err == nil) != taken || taken && address != "postgres://db.example:5433/invoices" {
			t.Errorf("%s: %s, %v", password, address, err)
		}
	}
}

// TestAnErrorSaysWhatToDo, and not to start a server that has answered.
func TestAnErrorSaysWhatToDo(t *testing.T) {
	dsn := postgrestest.Shared(t).Database(t)
	for asked, want := range map[string]string{
		dsn + "&sslmode=require": "server refused TLS connection",
		strings.Replace(dsn, postgrestest.DatabaseOf(t, dsn), "nowhere", 1): "make the database, or correct its name",
		"postgres://u@127.0.0.1:1/db?sslmode=disable":                       "start PostgreSQL, or correct the address",
	} {
		_, err := open(t, asked).Exec(t.Context(), "SELECT 1")
		text := open(t, asked).Explain("asking", err).Error()
		if !strings.Contains(text, want) || strings.Contains(text, "start PostgreSQL") != strings.Contains(want, "start PostgreSQL") {
			t.Errorf("%s, want %q", text, want)
		}
	}
	for code, want := range map[string]string{"08P01": "pooler", "26000": "pooler", "42P05": "pooler", "53300": "pool_max_conns"} {
		text := open(t, dsn).Explain("asking", &pgconn.PgError{Code: code}).Error()
		if !strings.Contains(text, want) {
			t.Errorf("%s, want %q", text, want)
		}
	}
}

func TestAnAddressNamesEveryHost(t *testing.T) {
	for dsn, want := range map[string]string{
		"postgres://u@a.example,b.example:5433/d":                 "postgres://a.example:5432,b.example:5433/d",
		"host=/run/postgresql,b.example dbname=d sslmode=disable": "postgres://%2Frun%2Fpostgresql,b.example:5432/d",
		"postgres://u@a.example/d?sslmode=prefer":                 "postgres://a.example:5432/d",
	} {
		if address, err := postgres.Address(dsn); err != nil || address != want {
			t.Errorf("%s: %s, %v", dsn, address, err)
		}
	}
}

func TestWhatCanBeReadOnTheWayIsKnown(t *testing.T) {
	for dsn, want := range map[string]bool{
		"postgres://u@db.example/d":                                  false,
		"postgres://u@db.example/d?sslmode=require":                  false,
		"postgres://u@db.example/d?sslmode=verify-full":              true,
		"postgres://u@127.0.0.1/d?sslmode=disable":                   true,
		"postgres://u@localhost,db.example/d?sslmode=disable":        false,
		"host=/var/run/postgresql dbname=d":                          true,
		"postgres://u@[::1]:5433/d?sslmode=prefer":                   true,
		"postgres://u@a.example,b.example/d?sslmode=verify-full":     true,
		"postgres://u@db.example/d?sslmode=no-such-mode-of-the-kind": false,
	} {
		if got := postgres.Guarded(dsn); got != want {
			t.Errorf("%s: %v", dsn, got)
		}
	}
}

var twoSteps = &postgres.Migrations{Component: "test", Steps: []string{
	"CREATE TABLE one (n INT8 PRIMARY KEY); INSERT INTO one VALUES (1)",
	"CREATE TABLE two (n INT8 PRIMARY KEY)",
}}

func TestMigrationsThatRunAtTheSameTimeDoNotCollide(t *testing.T) {
	dsn := postgrestest.Shared(t).Database(t)
	if err := twoSteps.Check(t.Context(), open(t, dsn)); !errors.Is(err, postgres.ErrBehind) {
		t.Errorf("an empty database: %v", err)
	}
	var running sync.WaitGroup
	for range 8 {
		pool := open(t, dsn)
		running.Go(func() {
			if _, err := twoSteps.Run(t.Context(), pool); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	pool := open(t, dsn)
	var rows int
	if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM one").Scan(&rows); err != nil || rows != 1 {
		t.Errorf("the first step was taken %d times: %v", rows, err)
	}
	if from, err := twoSteps.Run(t.Context(), pool); err != nil || from != 2 {
		t.Errorf("from %d: %v", from, err)
	}
	older := &postgres.Migrations{Component: "test", Steps: twoSteps.Steps[:1]}
	if _, err := older.Run(t.Context(), pool); !errors.Is(err, postgres.ErrAhead) {
		t.Errorf("an older build: %v", err)
	}
}

func TestAStepThatFailsLeavesNothing(t *testing.T) {
	pool := open(t, postgrestest.Shared(t).Database(t))
	broken := &postgres.Migrations{Component: "test", Steps: []string{"CREATE TABLE one (n INT8); SELECT 1/0"}}
	if _, err := broken.Run(t.Context(), pool); err == nil || !strings.Contains(err.Error(), "step 1") {
		t.Fatalf("%v", err)
	}
	if _, err := twoSteps.Run(t.Context(), pool); err != nil {
		t.Error(err)
	}
}

func TestTransactionsInEachOthersWayAreRunAgain(t *testing.T) {
	pool := open(t, postgrestest.Shared(t).Database(t))
	if _, err := twoSteps.Run(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			for range 20 {
				err := pool.Transact(t.Context(), pgx.TxOptions{IsoLevel: pgx.Serializable}, func(tx pgx.Tx) error {
					var n int
					if err := tx.QueryRow(t.Context(), "SELECT n FROM one").Scan(&n); err != nil {
						return err
					}
					_, err := tx.Exec(t.Context(), "UPDATE one SET n = $1", n+1)
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
	var n int
	if err := pool.QueryRow(t.Context(), "SELECT n FROM one").Scan(&n); err != nil || n != 81 {
		t.Errorf("%d of 81: %v", n, err)
	}
}

// TestALostConnectionIsTriedAgainUntilItMayHaveCommitted: what cannot have been committed is
// repeated, what may have been is reported.
func TestALostConnectionIsTriedAgainUntilItMayHaveCommitted(t *testing.T) {
	cluster := postgrestest.Shared(t)
	cluster.Exec(t, "postgres", "CREATE DATABASE cut")
	proxy := postgrestest.NewProxy(t, cluster.Address())
	pool := open(t, proxy.DSN(cluster, "cut"))
	if _, err := twoSteps.Run(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
	runs := 0
	err := pool.Transact(t.Context(), pgx.TxOptions{}, func(tx pgx.Tx) error {
		if runs++; runs == 1 {
			proxy.Cut()
		}
		_, err := tx.Exec(t.Context(), "UPDATE one SET n = n + 1")
		return err
	})
	if err != nil || runs != 2 {
		t.Errorf("%d runs: %v", runs, err)
	}
	err = pool.Transact(t.Context(), pgx.TxOptions{}, func(tx pgx.Tx) error {
		runs++
		_, err := tx.Exec(t.Context(), "UPDATE one SET n = n + 1")
		proxy.Mute() // the commit gets through, its answer does not
		return err
	})
	if !errors.Is(err, postgres.ErrUncertain) || runs != 3 {
		t.Errorf("%d runs: %v", runs, err)
	}
}

// TestABatchIsATransaction: all of it or nothing, tried again as Transact does.
func TestABatchIsATransaction(t *testing.T) {
	cluster := postgrestest.Shared(t)
	cluster.Exec(t, "postgres", "CREATE DATABASE batches")
	proxy := postgrestest.NewProxy(t, cluster.Address())
	pool := open(t, proxy.DSN(cluster, "batches"))
	if _, err := twoSteps.Run(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
	const add, broken = "UPDATE one SET n = n + 1 RETURNING n", "INSERT INTO two VALUES (1), (1)"
	var seen []int
	transact := func(statements []string, after func(n int) error) error {
		return pool.TransactBatch(t.Context(), func(b *pgx.Batch) {
			for _, statement := range statements {
				b.Queue(statement).QueryRow(func(row pgx.Row) error {
					var n int
					if err := row.Scan(&n); err != nil {
						return err
					}
					seen = append(seen, n)
					return after(n)
				})
			}
		})
	}
	fine := func(int) error { return nil }
	refused := errors.New("refused")
	if err := transact([]string{add, add}, fine); err != nil {
		t.Fatal(err)
	}
	if err := transact([]string{add, broken}, fine); !postgres.HasCode(err, "23505") {
		t.Errorf("a statement that fails: %v", err)
	}
	if err := transact([]string{add}, func(int) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("an answer that is not taken: %v", err)
	}
	proxy.Cut()
	if err := transact([]string{add}, fine); err != nil {
		t.Errorf("after a cut: %v", err)
	}
	err := transact([]string{add}, func(int) error { proxy.Mute(); return nil })
	if !errors.Is(err, postgres.ErrUncertain) {
		t.Errorf("a commit without an answer: %v", err)
	}
	if err := transact([]string{add}, fine); err != nil {
		t.Fatal(err)
	}
	if last := seen[len(seen)-1]; last != 6 {
		t.Errorf("%v, want 6 at last: failed ones leave nothing", seen)
	}
}

func TestAServerThatIsGoneIsToldOfInTime(t *testing.T) {
	cluster := postgrestest.New(t, "")
	pool := open(t, cluster.Database(t))
	if _, err := twoSteps.Run(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
	cluster.Stop(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err := pool.Transact(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error { return nil })
	if !postgres.IsLost(err) {
		t.Errorf("while it is stopped: %v", err)
	}
	cluster.Start(t)
	if err := pool.Transact(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error { return nil }); err != nil {
		t.Errorf("started again: %v", err)
	}
}

// TestASessionThatRefusesChangesIsNotKept: the server takes them again, and the sessions that began before
// would refuse them until they are old.
func TestASessionThatRefusesChangesIsNotKept(t *testing.T) {
	pool := open(t, postgrestest.Shared(t).Database(t))
	if _, err := twoSteps.Run(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
	change := func() error {
		return pool.TransactBatch(t.Context(), func(b *pgx.Batch) { b.Queue("UPDATE one SET n = n + 1") })
	}
	if _, err := pool.Exec(t.Context(), "SET default_transaction_read_only = on"); err != nil {
		t.Fatal(err)
	}
	if err := change(); !postgres.HasCode(err, "25006") {
		t.Fatalf("in a session that refuses changes: %v", err)
	}
	if err := change(); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
