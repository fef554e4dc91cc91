package sqlite_test

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/audit/verify"
	"github.com/fielato/fielato/internal/segment"
)

func TestUntouchedFileIsSound(t *testing.T) {
	k := sealedFile(t)
	report := k.verify(t, k.file, verify.Options{Kept: k.kept}, nil)
	if !report.Sound() || report.Records != k.size || report.Kept == nil || report.Kept.Size != 1250 || report.Open.Count == 0 || report.Remarks.Count != 0 {
		t.Errorf("%+v", report)
	}
	report = k.verify(t, k.older, verify.Options{Kept: k.kept}, nil)
	if !report.Sound() || report.Records != 1250 {
		t.Errorf("the older file: %+v", report)
	}
}

// segmentAt returns the segment of many records that holds this one.
func segmentAt(t *testing.T, db *sql.DB, index int64) rowOf {
	t.Helper()
	var before int
	if err := db.QueryRow("SELECT count(*) FROM segments WHERE id <= 1 << 40 | ?", index).Scan(&before); err != nil {
		t.Fatal(err)
	}
	return pick(t, db, "segments", "true", before-1)
}

// edit changes the lists of a segment's records, each column in the same way.
func edit(t *testing.T, db *sql.DB, index int64, change func([][]byte) [][]byte) {
	t.Helper()
	row := segmentAt(t, db, index)
	for _, column := range []string{"keys", "summaries", "content"} {
		items, err := segment.Unpack(column, row.get(t, db, column).([]byte))
		if err != nil {
			t.Fatal(err)
		}
		if !row.set(t, db, column, segment.Pack(column, change(slices.Clone(items)))) {
			t.Fatal("nothing was changed")
		}
	}
}

// TestWhatSomebodyDidIsNamed: the first flaw is what happened, to which records.
func TestWhatSomebodyDidIsNamed(t *testing.T) {
	k := sealedFile(t)
	run := func(statement string, args ...any) func(*testing.T, *sql.DB) {
		return func(t *testing.T, db *sql.DB) { mustExec(t, db, statement, args...) }
	}
	editing := func(index int64, change func([][]byte) [][]byte) func(*testing.T, *sql.DB) {
		return func(t *testing.T, db *sql.DB) { edit(t, db, index, change) }
	}
	// Segments start at 0, 64, 128, 192, 250 and so on.
	for name, test := range map[string]struct {
		tamper func(*testing.T, *sql.DB)
		want   string
	}{
		"two records change places": {
			editing(512, func(l [][]byte) [][]byte { l[2], l[7] = l[7], l[2]; return l }), "record 507 stands in the place of record 502",
		},
		"neighbours change places": {
			editing(512, func(l [][]byte) [][]byte { l[2], l[3] = l[3], l[2]; return l }), "record 503 stands in the place of record 502",
		},
		"a record is taken out": {
			editing(512, func(l [][]byte) [][]byte { return slices.Delete(l, 4, 5) }), "record 504 was removed",
		},
		"the last of a segment is taken out": {
			editing(512, func(l [][]byte) [][]byte { return l[:len(l)-1] }), "record 563 was removed",
		},
		"a record is put in": {
			func(t *testing.T, db *sql.DB) {
				forged := (&audit.Record{Kind: audit.KindExchange, Operation: "FEDummy"}).Encode(nil)
				n := 0
				edit(t, db, 512, func(l [][]byte) [][]byte {
					n++
					return slices.Insert(l, 4, [][]byte{l[4], forged.Summary, forged.Content}[n-1])
				})
			}, "record 504 was inserted",
		},
		"a record is put in twice": {
			editing(512, func(l [][]byte) [][]byte { return slices.Insert(l, 4, l[3]) }), "record 504 was inserted: a second copy",
		},
		"a record takes the place of another": {
			editing(512, func(l [][]byte) [][]byte { l[9] = l[3]; return l }), "record 503 stands in the place of record 509",
		},
		"a segment is removed":      {run("DELETE FROM segments WHERE id = 1 << 40 | 564"), "records 564 to 627 were removed"},
		"the end is cut off":        {run("DELETE FROM segments WHERE id > 1 << 40 | 1560"), "records 1561 to 1569 were cut off at the end"},
		"all is cut off":            {run("DELETE FROM segments"), "records 0 to 1569 were cut off at the end"},
		"segments change places":    {swapSegments, "records 564 to 627 stand in the place of records 500 to 563"},
		"a segment is repeated":     {run("INSERT INTO segments SELECT 1 << 40 | 1570, purged, key, keys, leaves, summaries, content FROM segments WHERE id = 1 << 40 | 500"), "records 1570 to 1633 were inserted"},
		"a segment is put between":  {run("INSERT INTO segments SELECT 1 << 40 | 510, purged, key, keys, leaves, summaries, content FROM segments WHERE id = 1 << 40 | 1560"), "record 510 was inserted"},
		"a segment without records": {run("INSERT INTO segments VALUES (1 << 40 | 510, 0, NULL, x'00', x'', x'0000', x'0000')"), "a piece without records at 510"},
		"a tile is removed":         {run("DELETE FROM tiles WHERE n = 3"), "tile 0/3 of the tree is missing"},
		"tiles change places": {func(t *testing.T, db *sql.DB) {
			mustExec(t, db, "UPDATE tiles SET n = n + 100 WHERE n IN (3, 4)")
			mustExec(t, db, "UPDATE tiles SET n = 4 WHERE n = 103")
			mustExec(t, db, "UPDATE tiles SET n = 3 WHERE n = 104")
		}, "tile 0/3 of the tree has another leaf hash of record 768"},
		"a tile is put in":               {run("INSERT INTO tiles SELECT log, level, 6, hashes FROM tiles WHERE n = 3"), "tiles: the log of 1570 records has no tile 0/6"},
		"the checkpoint is removed":      {run("DELETE FROM checkpoints"), "the store has no checkpoint"},
		"an older checkpoint":            {run("UPDATE checkpoints SET note = ?", k.kept), "records 1250 to 1569 were inserted"},
		"a checkpoint is put in":         {run("INSERT INTO checkpoints SELECT 2, note FROM checkpoints"), "logs: no log has the number 2, of which there are rows in checkpoints"},
		"a block is removed":             {run("DELETE FROM blocks"), "postings: bucket 0 at 0 belongs to no block"},
		"a block is put in":              {run("INSERT INTO blocks SELECT log, next, next + 7, oldest, newest, open, late FROM blocks"), "blocks:"},
		"content is said to be sealed":   {run("UPDATE segments SET key = 7 WHERE id = 1 << 40 | 500"), "sealed with the key 7"},
		"an answered intent is invented": {run("UPDATE blocks SET late = x'01'"), "open intents"},
		"a list is removed":              {run("DELETE FROM postings WHERE bucket = 9"), "postings: those of bucket 9 are not those of the records"},
		"lists change places": {func(t *testing.T, db *sql.DB) {
			mustExec(t, db, "UPDATE postings SET terms = (SELECT p.terms FROM postings p WHERE p.bucket = 17 - postings.bucket) WHERE bucket IN (8, 9)")
		}, "postings: those of bucket 8 are not those of the records"},
		"a list is put in":    {run("INSERT INTO postings SELECT log, bucket, 7, terms FROM postings WHERE bucket = 9"), "postings: bucket 9 at 7 belongs to no block"},
		"the log is removed":  {run("DELETE FROM logs"), "the store has no checkpoint of log"},
		"the log is renamed":  {run("UPDATE logs SET name = 'other'"), "the store has no checkpoint of log"},
		"keys change places":  {func(t *testing.T, db *sql.DB) { swapKeys(t, db) }, "record 502: the keys are not those of the records"},
		"the trigger is gone": {run("DROP TRIGGER append"), "the schema: the trigger append is missing"},
		"a trigger is put in": {run("CREATE TRIGGER more AFTER INSERT ON segments BEGIN DELETE FROM segments; END"), "the schema: the trigger more does not belong to a trail"},
	} {
		t.Run(name, func(t *testing.T) {
			report := k.tampered(t, func(db *sql.DB) { test.tamper(t, db) })
			if !strings.Contains(first(report), test.want) {
				t.Errorf("first of %d flaws: %s\nwant %s", report.Flaws.Count, first(report), test.want)
			}
		})
	}
}

// TestStatisticsAreNoFlaw: SQLite keeps them in tables of its own.
func TestStatisticsAreNoFlaw(t *testing.T) {
	k := sealedFile(t)
	report := k.tampered(t, func(db *sql.DB) {
		if _, err := db.Exec("ANALYZE"); err != nil {
			t.Fatal(err)
		}
	})
	if !report.Sound() {
		t.Errorf("after ANALYZE: %s", first(report))
	}
}

func swapSegments(t *testing.T, db *sql.DB) {
	mustExec(t, db, "UPDATE segments SET id = 2 << 40 WHERE id = 1 << 40 | 500")
	mustExec(t, db, "UPDATE segments SET id = 1 << 40 | 500 WHERE id = 1 << 40 | 564")
	mustExec(t, db, "UPDATE segments SET id = 1 << 40 | 564 WHERE id = 2 << 40")
}

func swapKeys(t *testing.T, db *sql.DB) {
	row := segmentAt(t, db, 512)
	items, err := segment.Unpack("keys", row.get(t, db, "keys").([]byte))
	if err != nil {
		t.Fatal(err)
	}
	items[2], items[7] = items[7], items[2]
	row.set(t, db, "keys", segment.Pack("keys", items))
}

// TestAnOlderCopyIsFoundByAKeptCheckpoint: the copy itself is sound.
func TestAnOlderCopyIsFoundByAKeptCheckpoint(t *testing.T) {
	k := sealedFile(t)
	var newest []byte
	k.verify(t, k.file, verify.Options{}, func(db *sql.DB) {
		if err := db.QueryRow("SELECT note FROM checkpoints").Scan(&newest); err != nil {
			t.Fatal(err)
		}
	})
	if report := k.verify(t, k.older, verify.Options{}, nil); !report.Sound() {
		t.Errorf("the copy by itself: %s", first(report))
	}
	report := k.verify(t, k.older, verify.Options{Kept: newest}, nil)
	if want := "records 1250 to 1569 were cut off at the end"; !strings.HasPrefix(first(report), want) || report.Flaws.Count != 1 {
		t.Errorf("with the checkpoint of the newer one: %s, want %s", first(report), want)
	}
}

// TestALogThatLostItsCheckpointIsListed: commands and pages look for flaws in the logs of the list.
func TestALogThatLostItsCheckpointIsListed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tampered.db")
	if err := os.WriteFile(path, sealedFile(t).file, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, db, "DELETE FROM checkpoints")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := sqlite.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer closeStore(t, s)
	if logs, err := s.Logs(t.Context()); err != nil || !slices.Equal(logs, []string{tamperedLog}) {
		t.Errorf("%v, %v", logs, err)
	}
}

// TestADamagedPageIsAFlaw, although each record still reads well: the next commit may destroy some.
func TestADamagedPageIsAFlaw(t *testing.T) {
	k := sealedFile(t)
	holds := 0
	k.tampered(t, func(db *sql.DB) {
		if err := db.QueryRow("SELECT rootpage FROM sqlite_schema WHERE name = 'holds'").Scan(&holds); err != nil {
			t.Fatal(err)
		}
	})
	for what, at := range map[string]int{"how many pages are free": 39, "where the free ones begin": 35, "the kind of a page": (holds - 1) * 4096} {
		damaged := bytes.Clone(k.file)
		damaged[at] ^= 2
		report := k.verify(t, damaged, verify.Options{}, nil)
		if report.Sound() || report.Records != k.size || !strings.Contains(report.Flaws.Items[0].Detail, "the file") {
			t.Errorf("%s: %d records, %v", what, report.Records, report.Flaws.Items)
		}
	}
	if report := k.verify(t, k.file, verify.Options{}, nil); !report.Sound() {
		t.Error(report.Flaws.Items)
	}
}
