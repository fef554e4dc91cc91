package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/internal/postgres/postgrestest"
	"github.com/fielato/fielato/wsaa/keeper/postgres"
)

const name = "wsaa-0123456789abcdef0123456789abcdef"

// open opens a store, with the table. It is closed with the test.
func open(t *testing.T, dsn string) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), dsn, postgres.Options{Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// pass lets time pass for all leases of a database.
func pass(t *testing.T, dsn string) func(time.Duration) {
	return func(long time.Duration) {
		t.Helper()
		postgrestest.Shared(t).Exec(t, postgrestest.DatabaseOf(t, dsn), "UPDATE wsaa_tickets SET held_until = held_until - INTERVAL '"+long.String()+"'")
	}
}

// wantTake takes the lease for an hour, which no machine is slow enough to use up, and checks whether it
// is held.
func wantTake(t *testing.T, s *postgres.Store, holder string, want bool) {
	t.Helper()
	if held, err := s.Take(t.Context(), name, holder, time.Hour); err != nil || held != want {
		t.Errorf("%s: %v, %v, want %v", holder, held, err, want)
	}
}

func wantEntry(t *testing.T, s *postgres.Store, want string) {
	t.Helper()
	if got, err := s.Load(t.Context(), name); err != nil || string(got) != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// lock locks the row of the ticket until the end.
func lock(t *testing.T, dsn string) (end func()) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := conn.Begin(ctx)
	if err == nil {
		_, err = tx.Exec(ctx, "SELECT 1 FROM wsaa_tickets WHERE name = $1 FOR UPDATE", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := tx.Rollback(ctx); err != nil {
			t.Error(err)
		}
		if err := conn.Close(ctx); err != nil {
			t.Error(err)
		}
	}
}
