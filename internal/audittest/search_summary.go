package audittest

import (
	"reflect"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/testrun"
)

// searchWithoutContent finds the same records as a search with it, as they are but for their content. The log has so
// many records. The queries are those for one of the first half, and in a long campaign also for an early and a late one.
func searchWithoutContent(t *testing.T, open Open, records int) {
	s := open(t)
	all := fill(t, s, records, varied(17))
	queries := []audit.Query{{}, {Kind: audit.KindExchange}, {Limit: 3}, {Operation: "FECAESolicitar"}, {Finding: "10016"}}
	for _, i := range []int{len(all) * 9 / 19, 5, len(all) - 2}[:testrun.Full(t, 1, 3)] {
		queries = append(queries, queriesFor(all[i])...)
	}
	s = reopen(t, s, open)
	defer closeStore(t, s)
	for _, q := range queries {
		compareWithoutContent(t, s, q)
	}
}

func compareWithoutContent(t *testing.T, s audit.Store, q audit.Query) {
	t.Helper()
	q.Log = logName
	var want []*audit.Record
	for r, err := range s.Search(t.Context(), q) {
		if err != nil {
			t.Fatalf("search %+v: %v", q, err)
		}
		want = append(want, r)
	}
	q.SummaryOnly = true
	found := 0
	for r, err := range s.Search(t.Context(), q) {
		if err != nil || found == len(want) {
			t.Fatalf("search %+v: %v after %d records, want %d", q, err, found, len(want))
		}
		if whole := want[found]; !reflect.DeepEqual(summaryOf(t, r), summaryOf(t, whole)) || r.Presence == audit.Present && !reflect.DeepEqual(r, whole) {
			t.Fatalf("search %+v: record %d is\n%+v, want\n%+v", q, r.Index, r, whole)
		}
		found++
	}
	if found != len(want) {
		t.Fatalf("search %+v: %d records, want %d", q, found, len(want))
	}
}

// summaryOf returns the record without its content.
func summaryOf(t *testing.T, r *audit.Record) *audit.Record {
	t.Helper()
	summary, err := audit.Decode(audit.Form{Summary: r.AppendSummary(nil, [32]byte{}), Presence: audit.Unread})
	if err != nil {
		t.Fatal(err)
	}
	summary.Log, summary.Index = r.Log, r.Index
	return summary
}
