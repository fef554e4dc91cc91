package caddytest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	auditsqlite "github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/wsfev1"
)

// KeptTrail makes a trail of the records, in a file of its own.
func KeptTrail(t *testing.T, records ...*audit.Record) *Site {
	t.Helper()
	s := &Site{T: t, Store: t.TempDir() + "/audit.db"}
	store, err := auditsqlite.Open(s.Store)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	log, err := store.Secret(t.Context(), "log-name", func() ([]byte, error) { return []byte("gateway-1"), nil })
	if err != nil {
		t.Fatal(err)
	}
	key, err := audittest.NewKey(string(log))
	if err != nil {
		t.Fatal(err)
	}
	// The key stays where a gateway looks for it.
	if err := os.WriteFile(s.Store+".key", []byte(key.Private()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Secret(t.Context(), "verifier-key", func() ([]byte, error) { return []byte(key.Verifier()), nil }); err != nil {
		t.Fatal(err)
	}
	trail, err := audit.Open(t.Context(), store, string(log), key, audit.Options{First: true})
	if err != nil {
		t.Fatal(err)
	}
	defer trail.Close()
	for _, r := range records {
		if _, err := trail.Append(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// OldTrail is a trail of an invoice a month, from June 2011 to September 2011, for each
// of two issuers.
func OldTrail(t *testing.T, options ...auditsqlite.Option) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "audit.db")
	store, err := auditsqlite.Open(path, options...)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	key := audittest.Key(t, "gateway-1")
	for name, value := range map[string]string{"log-name": "gateway-1", "verifier-key": key.Verifier(), "fingerprint-key": strings.Repeat("k", 32)} {
		if _, err := store.Secret(t.Context(), name, func() ([]byte, error) { return []byte(value), nil }); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path+".key", []byte(key.Private()+"\n"), 0o600); err != nil { // as the gateway does
		t.Fatal(err)
	}
	trail, err := audit.Open(t.Context(), store, "gateway-1", key, audit.Options{First: true})
	if err != nil {
		t.Fatal(err)
	}
	defer trail.Close()
	for month := time.June; month <= time.September; month++ {
		for _, cuit := range []wsfev1.CUIT{20111111112, 30000000007} {
			r := &audit.Record{
				Kind: audit.KindExchange, Time: time.Date(2011, month, 15, 12, 0, 0, 0, time.UTC), Cuit: cuit,
				Operation: "FECAESolicitar", Decision: "forward", Outcome: "approved", Certainty: audit.Answered,
				Request: []byte(`{"a":"body"}`), Findings: []audit.Finding{{Code: "10048", Text: "quoted"}},
			}
			if cuit == 30000000007 { // its client speaks SOAP
				r.Client = &audit.Leg{
					Form: audit.FormSOAP12, RequestLength: 9, AnswerLength: 4, RequestDigest: [32]byte{1}, Request: []byte("<a>\xf1</a>"), Answer: []byte("<b/>"),
				}
			}
			if _, err := trail.Append(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
	}
	return path
}

// NewKey makes a signing key of a log.
func NewKey(t *testing.T, log string) *audit.Key {
	t.Helper()
	key, err := audit.NewKey(rand.Reader, log)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// Tamper changes a SQLite store behind the back of what keeps it.
func Tamper(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	result, err := db.Exec(statement)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		t.Fatalf("%s changed %d rows, %v", statement, n, err)
	}
}

// openStore opens a store for reading, which the caller closes, and returns the name of its log.
func openStore(t testing.TB, path string) (*auditsqlite.Store, string) {
	t.Helper()
	store, err := auditsqlite.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	name, err := store.Secret(t.Context(), "log-name", func() ([]byte, error) { return nil, io.EOF })
	if err != nil {
		store.Close()
		t.Fatal(err)
	}
	return store, string(name)
}

// readFrom returns the records of a log from an index on.
func readFrom(t testing.TB, store *auditsqlite.Store, name string, from uint64) (records []*audit.Record) {
	t.Helper()
	head, err := store.Head(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	for i := from; i < head.Size; i++ {
		r, err := store.Get(t.Context(), name, i)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	return records
}

// SizeOf is the number of records in a store.
func SizeOf(t testing.TB, path string) uint64 {
	t.Helper()
	store, name := openStore(t, path)
	defer store.Close()
	head, err := store.Head(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return head.Size
}

// RecordsSince returns the records that were added to a store. It does not verify the store:
// where many exchanges are looked at one by one, that would take more than they do.
func RecordsSince(t testing.TB, path string, size uint64) []*audit.Record {
	t.Helper()
	store, name := openStore(t, path)
	defer store.Close()
	return readFrom(t, store, name, size)
}

// RedactDocNro is the option that keeps no document number of a receiver.
const RedactDocNro = TrailOption + "redact /FeCAEReq/FeDetReq/FECAEDetRequest/*/DocNro /FeDetResp/FECAEDetResponse/*/DocNro"
