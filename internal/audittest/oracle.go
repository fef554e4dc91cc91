package audittest

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/fielato/fielato/audit"
)

const logName = "gateway-1"

// commit writes records as one batch that starts at first.
func commit(t *testing.T, s audit.Store, log string, first uint64, records ...*audit.Record) error {
	t.Helper()
	batch := Seal(t, s, log, records...)
	batch.First = first
	preparer, _ := s.(audit.Preparer)
	for i := range batch.Entries {
		entry := &batch.Entries[i]
		entry.Index = first + uint64(i)
		if preparer != nil && i%2 == 0 { // Commit works with and without
			entry.Prepared = preparer.Prepare(entry.Form, entry.Record)
		}
	}
	return s.Commit(t.Context(), batch)
}

// must is commit for records that are to be there afterwards, with log and index.
func must(t *testing.T, s audit.Store, log string, first uint64, records ...*audit.Record) {
	t.Helper()
	if err := commit(t, s, log, first, records...); err != nil {
		t.Fatalf("commit at %d: %v", first, err)
	}
	for i, r := range records {
		r.Log, r.Index = log, first+uint64(i)
	}
}

// fill writes n records in batches of different sizes and returns them.
func fill(t *testing.T, s audit.Store, n int, next func(index uint64) *audit.Record) []*audit.Record {
	t.Helper()
	var all []*audit.Record
	for size := 1; len(all) < n; size = size*3%197 + 1 {
		first := len(all)
		for len(all) < min(first+size, n) {
			all = append(all, next(uint64(len(all))))
		}
		must(t, s, logName, uint64(first), all[first:]...)
	}
	return all
}

// check compares the whole log with what was written to it.
func check(t *testing.T, s audit.Store, log string, want []*audit.Record) {
	t.Helper()
	head, err := s.Head(t.Context(), log)
	if err != nil || head.Size != uint64(len(want)) {
		t.Fatalf("head of %q: %d, %v; want %d", log, head.Size, err, len(want))
	}
	reader, err := audit.ReaderOf(t.Context(), s, log)
	if err != nil {
		t.Fatalf("reader of %q: %v", log, err)
	}
	for i, r := range want {
		get := s.Get
		if i%2 > 0 {
			get = func(ctx context.Context, _ string, index uint64) (*audit.Record, error) {
				return reader.Get(ctx, index)
			}
		}
		got, err := get(t.Context(), log, uint64(i))
		if err != nil {
			t.Fatalf("record %d: %v", i, err)
		}
		if !reflect.DeepEqual(got, r) {
			t.Fatalf("record %d:\n got %+v\nwant %+v", i, got, r)
		}
	}
	for name, get := range map[string]func() (*audit.Record, error){
		"the store":  func() (*audit.Record, error) { return s.Get(t.Context(), log, head.Size) },
		"its reader": func() (*audit.Record, error) { return reader.Get(t.Context(), head.Size) },
	} {
		if _, err := get(); !errors.Is(err, audit.ErrNotFound) {
			t.Fatalf("record after the last of %s: %v, want ErrNotFound", name, err)
		}
	}
	Verify(t, s, log)
}

func reopen(t *testing.T, s audit.Store, open Open) audit.Store {
	t.Helper()
	closeStore(t, s)
	return open(t)
}

func closeStore(t *testing.T, s audit.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
}

func cancelledContext(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
