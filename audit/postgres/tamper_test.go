package postgres_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/postgres"
	"github.com/fielato/fielato/audit/verify"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// TestWhatSomebodyDidIsNamed: the owner of the tables can change anything in them, and the
// report names it.
func TestWhatSomebodyDidIsNamed(t *testing.T) {
	cluster := postgrestest.Shared(t)
	dsn := cluster.Database(t)
	original := postgrestest.DatabaseOf(t, dsn)
	s := open(t, dsn, postgres.Options{})
	source := audittest.NewSource(3)
	for size := uint64(0); size < 4000; {
		var records []*audit.Record
		for range 250 {
			r := source.Next(size)
			r.Request, r.Answer = nil, nil // so that a verification takes milliseconds
			records, size = append(records, r), size+1
		}
		commit(t, s, records...)
	}
	closeStore(t, s)
	// Segments start at 0, 64, 128, 192, 250 and so on.
	for name, test := range map[string]struct{ statement, want string }{
		"nothing":                    {"SELECT 1", ""},
		"a segment is removed":       {"DELETE FROM audit_segments WHERE first = 564", "records 564 to 627 were removed"},
		"the end is cut off":         {"DELETE FROM audit_segments WHERE first >= 3942", "records 3942 to 3999 were cut off at the end"},
		"segments change places":     {"UPDATE audit_segments a SET keys = b.keys, summaries = b.summaries, content = b.content FROM audit_segments b WHERE a.first + b.first = 1064 AND a.first IN (500, 564)", "records 564 to 627 stand in the place of records 500 to 563"},
		"a tile is removed":          {"DELETE FROM audit_tiles WHERE n = 3", "tile 0/3 of the tree is missing"},
		"a tile is put in":           {"INSERT INTO audit_tiles SELECT log, level, 16, hashes FROM audit_tiles WHERE level = 0 AND n = 3", "has no tile 0/16"},
		"an older checkpoint":        {"DELETE FROM audit_checkpoints WHERE number > 10", "were inserted"},
		"no checkpoint":              {"DELETE FROM audit_checkpoints", "the store has no checkpoint"},
		"a block is removed":         {"DELETE FROM audit_blocks", "belongs to no block"},
		"a list is removed":          {"DELETE FROM audit_postings WHERE bucket = 9", "postings: those of bucket 9 are not those of the records"},
		"a list is put in":           {"INSERT INTO audit_postings SELECT log, bucket, 7, terms FROM audit_postings WHERE bucket = 9", "postings: bucket 9 at 7 belongs to no block"},
		"keys are changed":           {"UPDATE audit_segments SET keys = (SELECT keys FROM audit_segments WHERE first = 564) WHERE first = 500", "the keys are not those of the records"},
		"content is said to be gone": {"UPDATE audit_segments SET purged = 1 WHERE first = 500", "what is said to be purged is there"},
		"content is said sealed":     {"UPDATE audit_segments SET key = 7 WHERE first = 500", "sealed with the key 7"},
		"a trigger on a table of somebody else's": {
			"CREATE TABLE audit_log (id INT); CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; CREATE TRIGGER more BEFORE INSERT ON audit_log EXECUTE FUNCTION f()",
			"",
		},
		"a trigger is put in": {
			"CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; CREATE TRIGGER more BEFORE INSERT ON audit_segments EXECUTE FUNCTION f()",
			"the trigger more on audit_segments does not belong to a trail",
		},
	} {
		t.Run(name, func(t *testing.T) {
			copied := original + "_copy"
			cluster.Exec(t, "postgres", "CREATE DATABASE "+copied+" TEMPLATE "+original)
			defer cluster.Exec(t, "postgres", "DROP DATABASE "+copied)
			cluster.Exec(t, copied, test.statement)
			reader, err := postgres.OpenReader(t.Context(), cluster.DSN(copied), postgres.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer closeStore(t, reader)
			report, err := verify.Log(t.Context(), reader, "gateway-1", audittest.Key(t, "gateway-1").Verifier(), verify.Options{Listed: 1000})
			if err != nil {
				t.Fatal(err)
			}
			if test.want == "" {
				if !report.Sound() {
					t.Errorf("untouched: %v", report.Flaws.Items)
				}
				return
			}
			if !slices.ContainsFunc(report.Flaws.Items, func(f audit.Flaw) bool { return strings.Contains(f.String(), test.want) }) {
				t.Errorf("%d flaws: %v\nwant %s", report.Flaws.Count, report.Flaws.Items, test.want)
			}
		})
	}
}
