package sqlite_test

import (
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/backend/backendtest"
)

var update = flag.Bool("update", false, "write the fixture of the present schema, testdata/ledger-VERSION.sql; those of earlier ones stay")

// TestLedgersOfEarlierBuildsAreRead opens files of every schema so far. A fixture is the file that a build of its time
// wrote, as SQL.
func TestLedgersOfEarlierBuildsAreRead(t *testing.T) {
	if *update {
		writeFixture(t)
	}
	fixtures, err := filepath.Glob("testdata/ledger-*.sql")
	if err != nil || len(fixtures) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, fixture := range fixtures {
		t.Run(filepath.Base(fixture), func(t *testing.T) {
			script, err := os.ReadFile(fixture)
			if err != nil {
				t.Fatal(err)
			}
			place := t.TempDir()
			execute(t, filepath.Join(place, "ledger.db"), string(script))
			backendtest.CheckEarlier(t, open, place)
		})
	}
}

func writeFixture(t *testing.T) {
	place := t.TempDir()
	ledger := open(t, place)
	backendtest.FillEarlier(t, ledger)
	if err := ledger.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(place, "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var version int
	if err := db.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll("testdata", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(fmt.Sprintf("testdata/ledger-%d.sql", version), []byte(dump(t, db)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// dump returns a script that makes the database.
func dump(t *testing.T, db *sql.DB) string {
	var b strings.Builder
	for _, pragma := range []string{"application_id", "user_version"} {
		fmt.Fprintf(&b, "PRAGMA %s=%s;\n", pragma, column(t, db, "PRAGMA "+pragma)[0])
	}
	for _, text := range column(t, db, "SELECT sql FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL") {
		fmt.Fprintf(&b, "%s;\n", text)
	}
	for _, table := range column(t, db, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") {
		quoted := column(t, db, "SELECT 'quote(' || name || ')' FROM pragma_table_info('"+table+"')")
		for _, row := range column(t, db, "SELECT "+strings.Join(quoted, " || ', ' || ")+" FROM "+table) {
			fmt.Fprintf(&b, "INSERT INTO %s VALUES (%s);\n", table, row)
		}
	}
	for _, text := range column(t, db, "SELECT sql FROM sqlite_schema WHERE type <> 'table' AND sql IS NOT NULL") {
		fmt.Fprintf(&b, "%s;\n", text)
	}
	return b.String()
}

// column returns the first column of what a query finds.
func column(t *testing.T, db *sql.DB, query string) (values []string) {
	rows, err := db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var value string
		if err := rows.Scan(&value); err != nil {
			t.Fatal(err)
		}
		values = append(values, value)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return values
}
