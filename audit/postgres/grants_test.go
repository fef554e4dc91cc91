package postgres_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/postgres"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// granted makes the tables, and a role with these rights and no other. It returns the DSN
// of the role.
func granted(t *testing.T, dsn, role, grants string) string {
	t.Helper()
	closeStore(t, open(t, dsn, postgres.Options{}))
	return postgrestest.Granted(t, dsn, role, grants)
}

// exec runs a statement as the role of a DSN, and returns the SQLSTATE of its error.
func exec(t *testing.T, dsn, statement string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), statement)
	if failed, ok := errors.AsType[*pgconn.PgError](err); ok {
		return failed.Code
	}
	if err != nil {
		t.Fatal(err)
	}
	return ""
}

const forbidden = "42501"

// TestAGatewayCanOnlyAdd: with the rights that are documented it appends, searches, claims
// and verifies, and the server refuses to change or remove anything of the trail.
func TestAGatewayCanOnlyAdd(t *testing.T) {
	dsn := granted(t, postgrestest.Shared(t).Database(t), "fielato_gateway", postgres.GatewayGrants)
	s, err := postgres.Open(t.Context(), dsn, postgres.WithShape(postgres.Options{ContentKey: contentKey(t, 1)}, 1, 450))
	if err != nil {
		t.Fatal(err)
	}
	defer closeStore(t, s)
	if _, err := s.Claim(t.Context(), "gateway-1", "process 1"); err != nil {
		t.Fatal(err)
	}
	holder := audit.Holder{Process: "gateway-1", Turn: 1}
	if lease, err := s.TakeLease(t.Context(), "series", holder, time.Minute); err != nil || !lease.Held {
		t.Errorf("a series: %+v, %v", lease, err)
	}
	if err := s.ReturnLeases(t.Context(), []audit.LeaseChange{{Name: "series", Holder: holder}}); err != nil {
		t.Error(err)
	}
	source := audittest.NewSource(1)
	for range 10 {
		var records []*audit.Record
		for range 450 { // a block and tiles, in the end
			records = append(records, source.Issue(1))
		}
		commit(t, s, records...)
	}
	s.Merge(t.Context(), "gateway-1")
	if levels, err := s.Cover(t.Context(), "gateway-1"); err != nil || slices.Max(levels) < 3 {
		t.Errorf("runs of the levels %v, %v", levels, err)
	}
	audittest.Verify(t, s, "gateway-1")
	found := 0
	for _, err := range s.Search(t.Context(), audit.Query{Log: "gateway-1", Limit: 10}) {
		if err != nil {
			t.Fatal(err)
		}
		found++
	}
	if found != 10 {
		t.Errorf("%d found, want 10", found)
	}
	if err := s.SetSetting(t.Context(), "a", []byte("b")); err != nil {
		t.Error(err)
	}
	for _, table := range []string{"audit_segments", "audit_blocks", "audit_postings", "audit_runs", "audit_lists", "audit_tiles", "audit_checkpoints", "audit_data_keys", "audit_secrets"} {
		column := map[string]string{"audit_secrets": "name"}[table]
		if column == "" {
			column = "log"
		}
		for _, statement := range []string{
			"UPDATE " + table + " SET " + column + " = 'other'", "DELETE FROM " + table, "TRUNCATE " + table, "DROP TABLE " + table,
		} {
			if code := exec(t, dsn, statement); code != forbidden {
				t.Errorf("%s: SQLSTATE %q, want that it is refused", statement, code)
			}
		}
	}
}

// TestAReaderChangesNothing, and sees all that a gateway has written.
func TestAReaderChangesNothing(t *testing.T) {
	owner := postgrestest.Shared(t).Database(t)
	dsn := granted(t, owner, "fielato_reader", postgres.ReaderGrants)
	s := open(t, owner, postgres.Options{})
	defer closeStore(t, s)
	commit(t, s, audittest.NewSource(1).Issue(1))
	for name, dsn := range map[string]string{"with rights of its own": dsn, "as the owner": owner} {
		reader, err := postgres.OpenReader(t.Context(), dsn, postgres.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer closeStore(t, reader)
		audittest.Verify(t, reader, "gateway-1")
		if err := reader.Commit(t.Context(), audittest.Seal(t, reader, "gateway-1")); err == nil {
			t.Errorf("%s: a reader commits", name)
		}
		if _, err := reader.Secret(t.Context(), "a", func() ([]byte, error) { return []byte("b"), nil }); err == nil {
			t.Errorf("%s: a reader makes a secret", name)
		}
		if err := reader.SetSetting(t.Context(), "a", nil); err == nil {
			t.Errorf("%s: a reader sets", name)
		}
		if _, err := reader.Claim(t.Context(), "gateway-2", "reader"); err == nil {
			t.Errorf("%s: a reader claims", name)
		}
	}
}

// commit appends the records, and signs.
func commit(t testing.TB, s audit.Store, records ...*audit.Record) {
	t.Helper()
	if err := s.Commit(t.Context(), audittest.Seal(t, s, "gateway-1", records...)); err != nil {
		t.Fatal(err)
	}
}
