package postgres_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/postgres"
	"github.com/fielato/fielato/internal/audittest"
	internal "github.com/fielato/fielato/internal/postgres"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

func TestTablesAreMadeOnlyWhenAsked(t *testing.T) {
	dsn := postgrestest.Shared(t).Database(t)
	for name, opens := range map[string]func() (*postgres.Store, error){
		"writer": func() (*postgres.Store, error) { return postgres.Open(t.Context(), dsn, postgres.Options{}) },
		"reader": func() (*postgres.Store, error) {
			return postgres.OpenReader(t.Context(), dsn, postgres.Options{Migrate: true})
		},
	} {
		if s, err := opens(); !errors.Is(err, internal.ErrBehind) {
			if err == nil {
				closeStore(t, s)
			}
			t.Errorf("%s: %v, want ErrBehind", name, err)
		}
	}
	closeStore(t, open(t, dsn, postgres.Options{}))
	s, err := postgres.Open(t.Context(), dsn, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
}

func TestWrongContentKeyIsToldAtOnce(t *testing.T) {
	dsn := postgrestest.Shared(t).Database(t)
	right, wrong := contentKey(t, 1), contentKey(t, 2)
	closeStore(t, open(t, dsn, postgres.Options{ContentKey: right}))
	for name, opens := range map[string]func() (*postgres.Store, error){
		"writer": func() (*postgres.Store, error) {
			return postgres.Open(t.Context(), dsn, postgres.Options{ContentKey: wrong})
		},
		"reader": func() (*postgres.Store, error) {
			return postgres.OpenReader(t.Context(), dsn, postgres.Options{ContentKey: wrong})
		},
	} {
		s, err := opens()
		if err == nil {
			closeStore(t, s)
		}
		if !errors.Is(err, audit.ErrContentKey) || !strings.Contains(err.Error(), right.ID()) || strings.Contains(err.Error(), postgrestest.Password) {
			t.Errorf("%s: %v; want ErrContentKey, which key it is, and no password", name, err)
		}
	}
}

// TestSealedContentNeedsTheKey: without it the records are found, and the tree verified.
func TestSealedContentNeedsTheKey(t *testing.T) {
	dsn, key := postgrestest.Shared(t).Database(t), contentKey(t, 1)
	s := open(t, dsn, postgres.Options{ContentKey: key})
	r := audittest.NewSource(1).Issue(1)
	commit(t, s, r)
	closeStore(t, s)
	for name, want := range map[string]audit.Presence{"with": audit.Present, "without": audit.Sealed} {
		options := postgres.Options{}
		if want == audit.Present {
			options.ContentKey = key
		}
		reader, err := postgres.OpenReader(t.Context(), dsn, options)
		if err != nil {
			t.Fatal(err)
		}
		audittest.Verify(t, reader, "gateway-1")
		for got, err := range reader.Search(t.Context(), audit.Query{Log: "gateway-1", ID: r.ID}) {
			if err != nil || got.Presence != want || (want == audit.Present) != (string(got.Request) == string(r.Request)) {
				t.Errorf("%s the key: %+v, %v", name, got, err)
			}
		}
		closeStore(t, reader)
	}
}

// TestTheSecondOfTwoWritersConflicts: the database shows the conflict, although neither writer has
// claimed the log. The second one continues after reading the head.
func TestTheSecondOfTwoWritersConflicts(t *testing.T) {
	dsn := postgrestest.Shared(t).Database(t)
	a, b := open(t, dsn, postgres.Options{}), open(t, dsn, postgres.Options{})
	defer closeStore(t, a)
	defer closeStore(t, b)
	source := audittest.NewSource(1)
	commit(t, a, source.Issue(1))
	commit(t, b, source.Issue(1)) // it remembers two records
	for name, batch := range map[string]audit.Batch{
		"records":            audittest.Seal(t, a, "gateway-1", source.Issue(1)),
		"a checkpoint alone": audittest.Seal(t, a, "gateway-1"),
	} {
		commit(t, a, source.Issue(1))
		if err := b.Commit(t.Context(), batch); !errors.Is(err, audit.ErrConflict) {
			t.Errorf("%s by the second: %v, want ErrConflict", name, err)
		}
		commit(t, b, source.Issue(1))
	}
	audittest.Verify(t, b, "gateway-1")
}

// TestALogThatHasLostItsEndIsNotContinued: a server that has lost acknowledged commits, as after a
// failover to a replica that lagged, gets no record behind the gap.
func TestALogThatHasLostItsEndIsNotContinued(t *testing.T) {
	for name, loss := range map[string]string{
		"the newest commit": "DELETE FROM audit_segments WHERE first = 2; DELETE FROM audit_checkpoints WHERE number = 3",
		"two commits":       "DELETE FROM audit_segments WHERE first > 0; DELETE FROM audit_checkpoints WHERE number > 1",
		"all":               "DELETE FROM audit_segments; DELETE FROM audit_checkpoints",
		"another history":   "UPDATE audit_checkpoints SET note = 'another' WHERE number = 3",
	} {
		t.Run(name, func(t *testing.T) {
			dsn := postgrestest.Shared(t).Database(t)
			s := open(t, dsn, postgres.Options{})
			defer closeStore(t, s)
			claim, err := s.Claim(t.Context(), "gateway-1", "the one")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = claim.Release(t.Context()) }()
			source := audittest.NewSource(1)
			for range 3 {
				commit(t, s, source.Issue(1))
			}
			batch := audittest.Seal(t, s, "gateway-1", source.Issue(1))
			exec(t, dsn, loss)
			before := rows(t, dsn)
			for attempt := range 2 {
				if err := s.Commit(t.Context(), batch); !errors.Is(err, audit.ErrConflict) {
					t.Errorf("attempt %d: %v, want ErrConflict", attempt, err)
				}
			}
			if after := rows(t, dsn); after != before {
				t.Errorf("the log was continued: %d rows, before %d", after, before)
			}
		})
	}
}

// rows counts the rows of all logs.
func rows(t *testing.T, dsn string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	err = conn.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM audit_segments) + (SELECT count(*) FROM audit_checkpoints)").Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestHeadWaitsForACommitWithoutItsWriter: the server may still run a commit whose writer has
// lost the connection.
func TestHeadWaitsForACommitWithoutItsWriter(t *testing.T) {
	cluster := postgrestest.Shared(t)
	dsn := cluster.Database(t)
	s := open(t, dsn, postgres.Options{})
	defer closeStore(t, s)
	commit(t, s, audittest.NewSource(1).Issue(1))
	other := hold(t, dsn, "INSERT INTO audit_checkpoints SELECT log, number + 1, note FROM audit_checkpoints")
	told := make(chan audit.Head, 1)
	go func() {
		head, err := s.Head(t.Context(), "gateway-1")
		if err != nil {
			t.Error(err)
		}
		told <- head
	}()
	postgrestest.AwaitLocked(t, dsn)
	select {
	case <-told:
		t.Error("Head did not wait")
	default:
	}
	other()
	select {
	case <-told:
	case <-time.After(time.Minute):
		t.Error("Head waits for ever")
	}
}
