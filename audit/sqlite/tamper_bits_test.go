package sqlite_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/segment"
	"github.com/fielato/fielato/internal/testrun"
)

// primary has the columns that identify a row of each table.
var primary = map[string][]string{
	"segments": {"id"}, "tiles": {"log", "level", "n"}, "checkpoints": {"log"},
	"blocks": {"log", "first"}, "postings": {"log", "bucket", "first"}, "logs": {"id"},
}

// rowOf is one row of a table before anything was changed.
type rowOf struct {
	table string
	key   []any // the values of its primary columns
	// The row is a segment of the records first <= index < next.
	first, next uint64
}

// pick returns row number n of those with the condition, modulo how many there are.
func pick(t *testing.T, db *sql.DB, table, condition string, n int) rowOf {
	t.Helper()
	var rows int
	if err := db.QueryRow("SELECT count(*) FROM " + table + " WHERE " + condition).Scan(&rows); err != nil || rows == 0 {
		t.Fatalf("rows of %s: %d, %v", table, rows, err)
	}
	names := strings.Join(primary[table], ", ")
	r := rowOf{table: table, key: make([]any, len(primary[table]))}
	into := make([]any, len(r.key))
	for i := range into {
		into[i] = &r.key[i]
	}
	query := fmt.Sprintf("SELECT %s FROM %s WHERE %s ORDER BY %s LIMIT 1 OFFSET %d", names, table, condition, names, n%rows)
	if err := db.QueryRow(query).Scan(into...); err != nil {
		t.Fatal(err)
	}
	if table == "segments" {
		var next sql.NullInt64
		if err := db.QueryRow("SELECT min(id) FROM segments WHERE id > ?", r.key[0]).Scan(&next); err != nil {
			t.Fatal(err)
		}
		r.first, r.next = firstOf(r.key[0].(int64)), firstOf(next.Int64)
		if !next.Valid {
			r.next = 1570
		}
	}
	return r
}

func firstOf(id int64) uint64 { return uint64(id) & (1<<40 - 1) }

func (r rowOf) where() string {
	return strings.Join(primary[r.table], " = ? AND ") + " = ?"
}

func (r rowOf) get(t *testing.T, db *sql.DB, column string) (value any) {
	t.Helper()
	if err := db.QueryRow("SELECT "+column+" FROM "+r.table+" WHERE "+r.where(), r.key...).Scan(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

// set reports whether it could change the value.
func (r rowOf) set(t *testing.T, db *sql.DB, column string, value any) bool {
	t.Helper()
	result, err := db.Exec("UPDATE OR IGNORE "+r.table+" SET "+column+" = ? WHERE "+r.where(), append([]any{value}, r.key...)...)
	if err != nil {
		t.Fatal(err)
	}
	n, _ := result.RowsAffected()
	return n == 1
}

// isNamedBy reports whether a flaw is about the row.
func (r rowOf) isNamedBy(f audit.Flaw) bool {
	switch r.table {
	case "segments":
		return f.Next > r.first && f.First < r.next
	case "tiles":
		return f.Kind == audit.FlawHashes && strings.Contains(f.Detail, fmt.Sprintf("tile %d/%d ", r.key[1], r.key[2]))
	case "checkpoints":
		return f.Kind == audit.FlawCheckpoint
	}
	return f.Kind == audit.FlawIndex && strings.Contains(f.Detail, r.table+":")
}

// flips is how many bits of each column are tried.
func flips(t *testing.T) int { return testrun.Size(t, 1, 1) }

// TestEachBitIsCovered: a bit that was changed in any column of any table is detected,
// and the report names the records or the part of the store that it belongs to.
func TestEachBitIsCovered(t *testing.T) {
	k := sealedFile(t)
	random := rand.New(rand.NewPCG(1, 2))
	for _, column := range []string{
		"segments.id", "segments.purged", "segments.keys", "segments.leaves", "segments.summaries", "segments.content",
		"tiles.log", "tiles.level", "tiles.n", "tiles.hashes", "checkpoints.log", "checkpoints.note",
		"blocks.log", "blocks.first", "blocks.next", "blocks.oldest", "blocks.newest", "blocks.open",
		"postings.log", "postings.bucket", "postings.first", "postings.terms", "logs.id", "logs.name",
	} {
		for range flips(t) {
			k.flip(t, random, column)
		}
	}
}

func (k *sealed) flip(t *testing.T, random *rand.Rand, column string) {
	t.Helper()
	table, name, _ := strings.Cut(column, ".")
	condition := "true"
	if name == "leaves" { // most segments have none
		condition = "length(leaves) > 0"
	}
	var row rowOf
	var bit int
	var same bool
	report := k.tampered(t, func(db *sql.DB) {
		for changed := false; !changed; {
			row = pick(t, db, table, condition, random.IntN(1<<20))
			before := row.get(t, db, name)
			var after any
			after, bit = flipped(random, before)
			changed = row.set(t, db, name, after)
			same = changed && sameItems(name, before, after)
		}
	})
	switch {
	case report.Sound() && !same:
		t.Errorf("%s of %v, bit %d: not detected", column, row.key, bit)
	case !report.Sound() && !slices.ContainsFunc(report.Flaws.Items, row.isNamedBy):
		t.Errorf("%s of %v, bit %d: not named: %v", column, row.key, bit, report.Flaws.Items)
	}
}

// sameItems reports whether a frame that was changed still unpacks to the same records:
// a compressed form has bits that make no difference.
func sameItems(column string, before, after any) bool {
	if column != "summaries" && column != "content" {
		return false
	}
	a, err := segment.Unpack(column, before.([]byte))
	b, err2 := segment.Unpack(column, after.([]byte))
	return err == nil && err2 == nil && slices.EqualFunc(a, b, bytes.Equal)
}

// flipped changes one bit of a value.
func flipped(random *rand.Rand, value any) (changed any, bit int) {
	var data []byte
	switch value := value.(type) {
	case int64:
		bit = random.IntN(62)
		return value ^ 1<<bit, bit
	case string:
		data = []byte(value)
	case []byte:
		data = bytes.Clone(value)
	}
	bit = random.IntN(8 * len(data))
	data[bit/8] ^= 1 << (bit % 8)
	if _, text := value.(string); text {
		return string(data), bit
	}
	return data, bit
}
