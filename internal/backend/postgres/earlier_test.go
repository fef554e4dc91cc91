package postgres_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/backend/backendtest"
	"github.com/fielato/fielato/internal/backend/postgres"
	inner "github.com/fielato/fielato/internal/postgres"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

var update = flag.Bool("update", false, "write the fixture of the present schema, testdata/ledger-VERSION.sql; those of earlier ones stay")

// TestLedgersOfEarlierBuildsAreRead opens databases of every schema so far. A fixture has the rows that a build of its
// time wrote.
func TestLedgersOfEarlierBuildsAreRead(t *testing.T) {
	if *update {
		writeFixture(t)
	}
	for version := range postgres.Migrations.Steps {
		t.Run(fmt.Sprint(version+1), func(t *testing.T) {
			script, err := os.ReadFile(fixture(version + 1))
			if err != nil {
				t.Fatal(err)
			}
			dsn := postgrestest.Shared(t).Database(t)
			earlier := inner.Migrations{Component: postgres.Migrations.Component, Steps: postgres.Migrations.Steps[:version+1]}
			pool, err := earlier.Open(t.Context(), dsn, inner.Options{}, true)
			if err != nil {
				t.Fatal(err)
			}
			pool.Close()
			postgrestest.Shared(t).Exec(t, postgrestest.DatabaseOf(t, dsn), string(script))
			backendtest.CheckEarlier(t, func(testing.TB, string) backend.Ledger { return open(t, dsn) }, "")
		})
	}
}

func fixture(version int) string {
	return filepath.Join("testdata", fmt.Sprintf("ledger-%d.sql", version))
}

// writeFixture writes the rows of a ledger as SQL.
func writeFixture(t *testing.T) {
	dsn := postgrestest.Shared(t).Database(t)
	ledger := open(t, dsn)
	backendtest.FillEarlier(t, ledger)
	if err := ledger.Close(); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	column := func(query string, args ...any) []string {
		rows, err := conn.Query(t.Context(), query, args...)
		if err != nil {
			t.Fatal(err)
		}
		values, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		return values
	}
	var b strings.Builder
	for _, table := range column("SELECT table_name::TEXT FROM information_schema.tables WHERE table_name LIKE 'ledger%' ORDER BY 1") {
		names := column("SELECT column_name::TEXT FROM information_schema.columns WHERE table_name = $1 ORDER BY ordinal_position", table)
		fmt.Fprintf(&b, "DELETE FROM %s;\n", table)
		quoted := "quote_nullable(" + strings.Join(names, ") || ', ' || quote_nullable(") + ")"
		for _, row := range column("SELECT " + quoted + " FROM " + table + " ORDER BY 1") {
			fmt.Fprintf(&b, "INSERT INTO %s VALUES (%s);\n", table, row)
		}
	}
	if err := os.MkdirAll("testdata", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(fixture(len(postgres.Migrations.Steps)), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
