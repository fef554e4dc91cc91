package postgres_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/audit/postgres"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

func TestSeriesAreLeased(t *testing.T) {
	audittest.LeaseSuite(t, func(t *testing.T) func(*testing.T) audittest.LeaseStore {
		dsn := postgrestest.Shared(t).Database(t)
		t.Cleanup(func() { wantNoDeadlock(t, dsn) })
		return func(t *testing.T) audittest.LeaseStore {
			s := open(t, dsn, postgres.Options{})
			t.Cleanup(func() { closeStore(t, s) })
			return s
		}
	})
}

// wantNoDeadlock fails a test in whose database a transaction was ended because of a deadlock: the store
// would run it again, and nobody would see it.
func wantNoDeadlock(t *testing.T, dsn string) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	// A server's process counts what happened to it when it ends at the latest.
	var others, deadlocks int
	for others = 1; others > 0; {
		err := conn.QueryRow(context.Background(), `SELECT
			(SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()),
			(SELECT deadlocks FROM pg_stat_database WHERE datname = current_database())`).Scan(&others, &deadlocks)
		if err != nil {
			t.Fatal(err)
		}
	}
	if deadlocks != 0 {
		t.Errorf("%d deadlocks", deadlocks)
	}
}

func TestSeriesAreLeasedAsInMemory(t *testing.T) {
	dsn := postgrestest.Shared(t).Database(t)
	audittest.LeaseModel(t, func(t *testing.T) audittest.LeaseStore {
		s := open(t, dsn, postgres.Options{})
		t.Cleanup(func() { closeStore(t, s) })
		return s
	})
}
