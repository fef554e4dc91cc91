package caddymodule_test

import (
	"io"
	"testing"

	"github.com/fielato/fielato/audit"
	auditsqlite "github.com/fielato/fielato/audit/sqlite"
)

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

// sizeOf is the number of records in a store.
func sizeOf(t testing.TB, path string) uint64 {
	t.Helper()
	store, name := openStore(t, path)
	defer store.Close()
	head, err := store.Head(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return head.Size
}

// recordsSince returns the records that were added to a store. It does not verify the store:
// where many exchanges are looked at one by one, that would take more than they do.
func recordsSince(t testing.TB, path string, size uint64) []*audit.Record {
	t.Helper()
	store, name := openStore(t, path)
	defer store.Close()
	return readFrom(t, store, name, size)
}
