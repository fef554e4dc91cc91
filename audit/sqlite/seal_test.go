package sqlite_test

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/audit/verify"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/wsfev1"
)

// commit appends the records, and signs.
func commit(t testing.TB, s audit.Store, records ...*audit.Record) {
	t.Helper()
	if err := s.Commit(t.Context(), audittest.Seal(t, s, "gateway-1", records...)); err != nil {
		t.Fatal(err)
	}
}

// marked returns a record of a time whose body can be found in a file: nothing in it
// is compressed.
func marked(cuit wsfev1.CUIT, at time.Time, mark string) *audit.Record {
	return &audit.Record{
		Kind: audit.KindExchange, Time: at, Cuit: cuit, Operation: "FECAESolicitar", Outcome: "approved",
		Request: []byte(mark), Findings: []audit.Finding{{Code: "10048", Text: mark}},
	}
}

// day is noon of the 20th of a month of 2026.
func day(month time.Month) time.Time { return time.Date(2026, month, 20, 12, 0, 0, 0, time.UTC) }

// fileHas reports which of the store's files has the text.
func fileHas(t *testing.T, path, text string) (names []string) {
	t.Helper()
	for _, name := range []string{path, path + "-wal"} {
		if content, err := os.ReadFile(name); err == nil && bytes.Contains(content, []byte(text)) {
			names = append(names, filepath.Base(name))
		}
	}
	return names
}

func reader(t *testing.T, path string, options ...sqlite.Option) *sqlite.Store {
	t.Helper()
	s, err := sqlite.OpenReader(path, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeStore(t, s) })
	return s
}

// TestSealedContentIsNotInTheFile, at any moment, and comes back with the key only.
func TestSealedContentIsNotInTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.db")
	key := contentKey(t, 1)
	s := open(t, path, sqlite.WithContentKey(key))
	const mark = "the-body-that-nobody-is-to-read"
	commit(t, s, marked(20000000001, day(11), mark), marked(20000000001, day(12), mark))
	if names := fileHas(t, path, mark); names != nil {
		t.Errorf("beside the gateway: in %v", names)
	}
	closeStore(t, s)
	if names := fileHas(t, path, mark); names != nil {
		t.Errorf("after it: in %v", names)
	}
	for _, secret := range []string{key.Private()} {
		if names := fileHas(t, path, secret); names != nil {
			t.Errorf("the key is in %v", names)
		}
	}
	with, without := reader(t, path, sqlite.WithContentKey(key)), reader(t, path)
	audittest.Verify(t, with, "gateway-1")
	audittest.Verify(t, without, "gateway-1") // the tree needs no key
	if r, err := with.Get(t.Context(), "gateway-1", 1); err != nil || string(r.Request) != mark || r.Presence != audit.Present {
		t.Errorf("with the key: %+v, %v", r, err)
	}
	found := 0
	for r, err := range without.Search(t.Context(), audit.Query{Log: "gateway-1", Cuit: 20000000001}) {
		if err != nil || r.Presence != audit.Sealed || r.Request != nil || r.Findings[0].Code != "10048" || r.Findings[0].Text != "" {
			t.Errorf("without the key: %+v, %v", r, err)
		}
		found++
	}
	if found != 2 {
		t.Errorf("%d found without the key, want 2", found)
	}
}

// TestKeyComesAndGoes: a file holds what was written without a key beside what was
// written with one.
func TestKeyComesAndGoes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.db")
	sealed := sqlite.WithContentKey(contentKey(t, 1))
	want := []audit.Presence{audit.Present, audit.Sealed, audit.Present, audit.Sealed}
	for _, presence := range want {
		options := []sqlite.Option{sqlite.WithContentKey(nil)}
		if presence == audit.Sealed {
			options[0] = sealed
		}
		s := open(t, path, options...)
		commit(t, s, marked(20000000001, day(11), "mark"))
		closeStore(t, s)
	}
	with, without := reader(t, path, sealed), reader(t, path)
	audittest.Verify(t, with, "gateway-1")
	for i, presence := range want {
		r, err := without.Get(t.Context(), "gateway-1", uint64(i))
		if err != nil || r.Presence != presence {
			t.Errorf("record %d without the key: %v, %v; want %v", i, r, err, presence)
		}
		if r, err := with.Get(t.Context(), "gateway-1", uint64(i)); err != nil || string(r.Request) != "mark" {
			t.Errorf("record %d with the key: %v, %v", i, r, err)
		}
	}
}

func TestWrongContentKeyIsToldAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.db")
	right, wrong := contentKey(t, 1), contentKey(t, 2)
	closeStore(t, open(t, path, sqlite.WithContentKey(right))) // nothing is sealed yet
	for name, opens := range map[string]func(string, ...sqlite.Option) (*sqlite.Store, error){"writer": sqlite.Open, "reader": sqlite.OpenReader} {
		s, err := opens(path, sqlite.WithContentKey(wrong))
		if err == nil {
			closeStore(t, s)
		}
		if !errors.Is(err, audit.ErrContentKey) || !strings.Contains(err.Error(), right.ID()) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v; want ErrContentKey, the path and which key it is", name, err)
		}
	}
	closeStore(t, open(t, path, sqlite.WithContentKey(right)))
}

// TestPeriodsHaveKeysOfTheirOwn: to destroy one must not touch the other.
func TestPeriodsHaveKeysOfTheirOwn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "evidence.db")
	sealed := sqlite.WithContentKey(contentKey(t, 1))
	s := open(t, path, sealed)
	var batch []*audit.Record
	for i := range 30 {
		batch = append(batch, marked(20000000001, day(time.Month(10+i/10)), "mark")) // one batch, three periods
	}
	commit(t, s, batch...)
	closeStore(t, s)
	change(t, path, "DELETE FROM data_keys WHERE period = 2026*12 + 10") // November
	with := reader(t, path, sealed)
	// A key that is gone while segments name it is no purge.
	if report, err := verify.Log(t.Context(), with, "gateway-1", audittest.Key(t, "gateway-1").Verifier(), verify.Options{}); err != nil || report.Sound() {
		t.Errorf("a data key that was taken away: %v, %+v", err, report.Flaws)
	}
	for i := range 30 {
		want := audit.Present
		if i/10 == 1 {
			want = audit.Purged
		}
		if r, err := with.Get(t.Context(), "gateway-1", uint64(i)); err != nil || r.Presence != want {
			t.Errorf("record %d: %v, %v; want %v", i, r, err, want)
		}
	}
}

// TestChangedCiphertextIsDetected, wherever a byte of it was changed, and so is content
// in another's place.
func TestChangedCiphertextIsDetected(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "evidence.db")
	sealed := sqlite.WithContentKey(contentKey(t, 1))
	s := open(t, path, sealed)
	for range 2 {
		commit(t, s, marked(20000000001, day(11), "the same mark"))
	}
	closeStore(t, s)
	original, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const second = " WHERE id = (SELECT max(id) FROM segments)"
	// The byte that is changed is random: it may be the one that it is to become.
	const flip = "UPDATE segments SET content = CAST(substr(content, 1, %) || iif(substr(content, %+1, 1) = x'07', x'08', x'07') || substr(content, %+2) AS BLOB)" + second
	for name, statement := range map[string]string{
		"in the nonce":          strings.ReplaceAll(flip, "%", "3"),
		"in the ciphertext":     strings.ReplaceAll(flip, "%", "40"),
		"in the tag":            strings.ReplaceAll(flip, "%", "(length(content)-2)"),
		"cut off":               "UPDATE segments SET content = substr(content, 1, length(content)-1)" + second,
		"empty":                 "UPDATE segments SET content = x''" + second,
		"from another place":    "UPDATE segments SET content = (SELECT content FROM segments ORDER BY id LIMIT 1)" + second,
		"said to be plain":      "UPDATE segments SET key = NULL" + second,
		"the data key, changed": "UPDATE data_keys SET wrapped = CAST(substr(wrapped, 1, 30) || iif(substr(wrapped, 31, 1) = x'07', x'08', x'07') || substr(wrapped, 32) AS BLOB)",
	} {
		if err := os.WriteFile(path, original, 0o600); err != nil {
			t.Fatal(err)
		}
		change(t, path, statement)
		with, err := sqlite.OpenReader(path, sealed)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := with.Get(t.Context(), "gateway-1", 1); err == nil {
			t.Errorf("%s: read as %+v", name, r)
		}
		unpacked := error(nil)
		for piece, err := range with.Scan(t.Context(), "gateway-1", 1) {
			if err != nil {
				t.Fatal(err)
			}
			_, unpacked = piece.Unpack()
		}
		if unpacked == nil {
			t.Errorf("%s: Scan says nothing", name)
		}
		closeStore(t, with)
	}
}

// change runs a statement on the file of a store that is closed.
func change(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	result, err := db.Exec(statement)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		t.Fatalf("%s changed %d rows, %v", statement, n, err)
	}
}
