package audit_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
)

// at is a moment of these tests.
func at(second int) time.Time {
	return time.Date(2026, 11, 20, 12, 0, second, 0, time.UTC)
}

// shared is a store with logs whose records have these seconds as their times.
func shared(t *testing.T, logs map[string][]int) *audittest.Memory {
	t.Helper()
	store := audittest.NewMemory()
	for log, seconds := range logs {
		for i, second := range seconds {
			add(t, store, log, &audit.Record{
				Kind: audit.KindExchange, ID: fmt.Sprint(log, i), Time: at(second), Operation: "FEDummy", Status: 200 + i%2,
			})
		}
	}
	return store
}

func add(t *testing.T, store audit.Store, log string, r *audit.Record) {
	t.Helper()
	if err := store.Commit(t.Context(), audittest.Seal(t, store, log, r)); err != nil {
		t.Fatal(err)
	}
}

// addresses runs a search, and returns what it found as LOG/INDEX.
func addresses(t *testing.T, found iter.Seq2[*audit.Record, error]) string {
	t.Helper()
	var all []string
	for r, err := range found {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%s/%d", r.Log, r.Index))
	}
	return strings.Join(all, " ")
}

// TestSeveralLogsAreSearchedAsOne: by time, then by name, each log in its own order.
func TestSeveralLogsAreSearchedAsOne(t *testing.T) {
	store := shared(t, map[string][]int{"b": {1, 4, 6}, "a": {2, 4, 3}, "c": {5}, "unused": nil})
	logs := []string{"c", "b", "a", "unused"}
	for name, test := range map[string]struct {
		logs  []string
		query audit.Query
		want  string
	}{
		"all":              {logs, audit.Query{}, "b/2 c/0 b/1 a/2 a/1 a/0 b/0"},
		"some":             {logs, audit.Query{Limit: 3}, "b/2 c/0 b/1"},
		"what matches":     {logs, audit.Query{Status: 201}, "a/1 b/1"},
		"a log's order":    {logs, audit.Query{Since: at(3), Until: at(5)}, "b/1 a/2 a/1"},
		"a log elsewhere":  {logs, audit.Query{Log: "nowhere", Limit: 1}, "b/2"},
		"two logs":         {[]string{"a", "c"}, audit.Query{}, "c/0 a/2 a/1 a/0"},
		"one log":          {[]string{"b"}, audit.Query{Limit: 2}, "b/2 b/1"},
		"a page of one":    {[]string{"b"}, audit.Query{Before: 2}, "b/1 b/0"},
		"none that exists": {[]string{"x", "y"}, audit.Query{}, ""},
		"none":             {nil, audit.Query{}, ""},
	} {
		got := addresses(t, audit.SearchLogs(t.Context(), store, test.logs, test.query))
		if got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
	for r, err := range audit.SearchLogs(t.Context(), store, logs, audit.Query{}) {
		if err != nil || r.Log != "b" {
			t.Errorf("%v, %v", r, err)
		}
		break // which ends all searches: goleak looks
	}
	for _, query := range []audit.Query{{Before: 3}, {From: 3}} {
		for r, err := range audit.SearchLogs(t.Context(), store, logs, query) {
			if r != nil || !errors.Is(err, audit.ErrSeveralLogs) {
				t.Errorf("a page of several: %v, %v", r, err)
			}
		}
	}
}

// TestASearchOfSeveralLogsIsThatOfEach: nothing is missing and nothing there twice,
// whatever is asked for.
func TestASearchOfSeveralLogsIsThatOfEach(t *testing.T) {
	store := audittest.NewMemory()
	logs := []string{"north", "south", "west"}
	for i, log := range logs {
		source := audittest.NewSource(uint64(i))
		for index := range uint64(150) {
			add(t, store, log, source.Next(index))
		}
	}
	for _, query := range []audit.Query{
		{}, {Kind: audit.KindOutcome}, {Outcome: "approved"}, {Cuit: 20000000003}, {PtoVta: 2, CbteTipo: 6, Limit: 20},
	} {
		var want []*audit.Record
		for _, log := range logs {
			query.Log = log
			for r, err := range store.Search(t.Context(), query) {
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, r)
			}
		}
		got := map[string]*audit.Record{}
		last := map[string]uint64{}
		for r, err := range audit.SearchLogs(t.Context(), store, logs, query) {
			if err != nil {
				t.Fatal(err)
			}
			if index, ok := last[r.Log]; ok && r.Index >= index {
				t.Errorf("%s/%d after %d", r.Log, r.Index, index)
			}
			last[r.Log] = r.Index
			got[fmt.Sprint(r.Log, "/", r.Index)] = r
		}
		if query.Limit > 0 && len(got) != query.Limit || query.Limit == 0 && len(got) != len(want) {
			t.Errorf("%+v: %d found of %d", query, len(got), len(want))
		}
		for address, r := range got {
			if !slices.ContainsFunc(want, func(w *audit.Record) bool { return reflect.DeepEqual(w, r) }) {
				t.Errorf("%+v: %s is not what its log has", query, address)
			}
		}
	}
}

// TestWhatAnotherLogHasSettledIsNotOpen, and is found by a search for anything else.
func TestWhatAnotherLogHasSettledIsNotOpen(t *testing.T) {
	store := audittest.NewMemory()
	intent := func(log, id string, second int) {
		add(t, store, log, &audit.Record{Kind: audit.KindIntent, ID: id, Time: at(second), Operation: "FECAESolicitar"})
	}
	intent("a", "settled", 1)
	intent("a", "open", 2)
	intent("b", "other", 3)
	add(t, store, "b", &audit.Record{
		Kind: audit.KindSettlement, ID: "settled", Time: at(4), Operation: "FECAESolicitar", IntentLog: "a", Intent: 0, Outcome: "not_issued",
	})
	logs := []string{"a", "b"}
	for _, test := range []struct {
		query audit.Query
		want  string
	}{
		{audit.Query{Kind: audit.KindIntent}, "b/0 a/1"},
		{audit.Query{Kind: audit.KindIntent, Limit: 2}, "b/0 a/1"},
		{audit.Query{}, "b/1 b/0 a/1 a/0"},
	} {
		if got := addresses(t, audit.SearchLogs(t.Context(), store, logs, test.query)); got != test.want {
			t.Errorf("%+v: %s, want %s", test.query, got, test.want)
		}
	}
}

// unsearchable fails to search in one log, after what it has found there.
type unsearchable struct {
	audit.Store
	log string
}

func (f unsearchable) Search(ctx context.Context, query audit.Query) iter.Seq2[*audit.Record, error] {
	return func(yield func(*audit.Record, error) bool) {
		for r, err := range f.Store.Search(ctx, query) {
			if !yield(r, err) {
				return
			}
		}
		if query.Log == f.log {
			yield(nil, errGone)
		}
	}
}

var errGone = errors.New("the disk is gone")

// TestASearchOfSeveralLogsTellsOfAnError of one of them, after what was found before.
func TestASearchOfSeveralLogsTellsOfAnError(t *testing.T) {
	store := unsearchable{shared(t, map[string][]int{"a": {1, 5}, "b": {4, 3}}), "b"}
	found, failed := 0, 0
	for _, err := range audit.SearchLogs(t.Context(), store, []string{"a", "b"}, audit.Query{}) {
		switch {
		case err == nil:
			found++
		case errors.Is(err, errGone):
			failed++
		default:
			t.Error(err)
		}
	}
	if found != 3 || failed != 1 {
		t.Errorf("%d found, %d errors", found, failed)
	}
}
