package postgres_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	internal "github.com/fielato/fielato/internal/postgres"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
	"github.com/fielato/fielato/wsaa/keeper"
	"github.com/fielato/fielato/wsaa/keeper/internal/keepertest"
	"github.com/fielato/fielato/wsaa/keeper/postgres"
)

// TestATableIsAStore, also behind a pooler that knows no prepared statements, and where transactions
// are serialisable as in CockroachDB.
func TestATableIsAStore(t *testing.T) {
	t.Parallel()
	for _, parameters := range []string{"", "&default_query_exec_mode=simple_protocol", "&default_transaction_isolation=serializable"} {
		dsn := postgrestest.Shared(t).Database(t)
		keepertest.Store(t, open(t, dsn+parameters), pass(t, dsn))
	}
}

func TestTheTableIsMadeOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Shared(t).Database(t)
	_, err := postgres.Open(t.Context(), dsn, postgres.Options{})
	if !errors.Is(err, internal.ErrBehind) || !strings.Contains(err.Error(), "fielato wsfev1 migrate") || strings.Contains(err.Error(), postgrestest.Password) {
		t.Errorf("%v, want ErrBehind and what to do", err)
	}
	open(t, dsn)
	s, err := postgres.Open(t.Context(), dsn, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	if _, err := s.Load(t.Context(), name); err == nil {
		t.Error("loaded after it was closed")
	}
}

// TestEntriesAndLeasesOutliveTheirStore: they are bound to no connection, so that one that is lost does
// not let another node log in. A holder that died is waited for no longer than its lease.
func TestEntriesAndLeasesOutliveTheirStore(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Shared(t).Database(t)
	dying, err := postgres.Open(t.Context(), dsn, postgres.Options{Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	wantTake(t, dying, "a", true)
	if err := dying.Save(t.Context(), name, "a", []byte("entry")); err != nil {
		t.Fatal(err)
	}
	if err := dying.Close(); err != nil {
		t.Fatal(err)
	}
	one, other := open(t, dsn), open(t, dsn)
	wantEntry(t, one, "entry")
	wantTake(t, one, "b", false)
	pass(t, dsn)(30 * time.Minute) // of the hour, which goes on meanwhile
	wantTake(t, one, "b", false)
	pass(t, dsn)(31 * time.Minute)
	wantTake(t, one, "b", true)
	wantTake(t, other, "c", false)
	if err := other.Save(t.Context(), name, "a", []byte("late")); !errors.Is(err, keeper.ErrNotHolder) {
		t.Errorf("saved by the one that had died: %v", err)
	}
	wantEntry(t, other, "entry")
}

// TestACallEndsWithItsContext while the row is locked, and with the statement's own time. Later calls
// are done.
func TestACallEndsWithItsContext(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Shared(t).Database(t)
	s := open(t, dsn)
	wantTake(t, s, "a", true)
	end := lock(t, dsn)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Save(ctx, name, "a", []byte("x")) }()
	postgrestest.AwaitLocked(t, dsn)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if held, err := open(t, dsn+"&statement_timeout=500").Take(t.Context(), name, "b", time.Minute); held || !internal.HasCode(err, "57014") {
		t.Errorf("%v, %v", held, err)
	}
	end()
	wantTake(t, s, "b", false)
	if err := s.Save(t.Context(), name, "a", []byte("y")); err != nil {
		t.Error(err)
	}
	wantEntry(t, s, "y")
}
