package segment

import (
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/segment/term"
)

// TestKeysOfAPurgedRecordFit: the codes of its answer cannot be compared any more. The keys of
// another record do not fit.
func TestKeysOfAPurgedRecordFit(t *testing.T) {
	key := term.Key("key")
	r := &audit.Record{
		Kind: audit.KindExchange, ID: "a", Time: time.Unix(1, 0), Operation: "FECAESolicitar", Outcome: "rejected",
		Findings: []audit.Finding{{Code: "10217", Text: "text"}}, Answer: []byte(`{"Errors":{"Err":[{"Code":10016}]}}`),
	}
	form := r.Encode(nil)
	k, kept := keysOf(r, withReceivers, key)
	form.Content, form.Presence = nil, audit.Purged
	purged, err := audit.Decode(form)
	if err != nil {
		t.Fatal(err)
	}
	if own, _ := keysOf(purged, withReceivers, key); len(own.terms) >= len(k.terms) {
		t.Fatalf("%d bytes of terms without the answer, %d with it", len(own.terms), len(k.terms))
	}
	if !keysFit(purged, kept, key) || !keysFit(r, kept, key) {
		t.Error("its own keys do not fit")
	}
	for name, change := range map[string]func(*audit.Record){
		"outcome": func(r *audit.Record) { r.Outcome = "approved" }, "finding": func(r *audit.Record) { r.Findings[0].Code = "10048" },
		"time": func(r *audit.Record) { r.Time = time.Unix(2, 0) }, "kind": func(r *audit.Record) { r.Kind = audit.KindOutcome },
		"intent": func(r *audit.Record) { r.Intent = 7 },
	} {
		other := *purged
		other.Findings = append([]audit.Finding(nil), purged.Findings...)
		change(&other)
		if keysFit(&other, kept, key) {
			t.Errorf("another %s: the keys fit", name)
		}
	}
	if _, purgedKeys := keysOf(purged, withReceivers, key); keysFit(r, purgedKeys, key) {
		t.Error("keys without a code of the answer fit the whole record")
	}
}
