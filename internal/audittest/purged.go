package audittest

import (
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/verify"
)

// purgedIsTakenOver is for stores that are an audit.PurgedTaker: a copy of a log whose
// content was purged in part is the same log.
func purgedIsTakenOver(t *testing.T, open Open) {
	s := open(t)
	defer func() { closeStore(t, s) }()
	taker, ok := s.(audit.PurgedTaker)
	if !ok || !taker.TakesPurged() {
		t.Skip("the store takes no purged records over")
	}
	source := NewSource(8)
	// A batch in which nothing is purged, one in which all is, and one with some of each.
	purged := map[uint64]bool{}
	for _, every := range []int{0, 1, 3} {
		var records []*audit.Record
		for range 200 {
			records = append(records, source.Issue(1))
		}
		batch := Seal(t, s, logName, records...)
		for i := range batch.Entries {
			if every == 0 || i%every > 0 {
				continue
			}
			entry := &batch.Entries[i]
			entry.Form = audit.Form{Summary: entry.Form.Summary, Presence: audit.Purged}
			decoded, err := audit.Decode(entry.Form)
			if err != nil {
				t.Fatal(err)
			}
			entry.Record = decoded
			purged[batch.First+uint64(i)] = true
		}
		if err := s.Commit(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
		s = reopen(t, s, open)
	}
	for index := range uint64(600) {
		r, err := s.Get(t.Context(), logName, index)
		if err != nil || (r.Presence == audit.Purged) != purged[index] || len(r.Request) > 0 == purged[index] {
			t.Fatalf("record %d, purged %v: %v", index, purged[index], err)
		}
	}
	report, err := verify.Log(t.Context(), s, logName, Key(t, logName).Verifier(), verify.Options{})
	if err != nil || !report.Sound() || report.Purged != uint64(len(purged)) {
		t.Errorf("%v %+v", err, report)
	}
}
