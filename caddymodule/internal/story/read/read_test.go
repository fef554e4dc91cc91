package read_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/caddymodule/internal/story/read"
	"github.com/fielato/fielato/internal/audittest"
)

// counted is a store that counts its reads.
type counted struct {
	audit.Store
	gets, searches, lists int
}

func (s *counted) Get(ctx context.Context, log string, index uint64) (*audit.Record, error) {
	s.gets++
	return s.Store.Get(ctx, log, index)
}

func (s *counted) Search(ctx context.Context, query audit.Query) iter.Seq2[*audit.Record, error] {
	s.searches++
	return s.Store.Search(ctx, query)
}

func (s *counted) Logs(ctx context.Context) ([]string, error) {
	s.lists++
	return s.Store.Logs(ctx)
}

// reads returns what was asked since the last call: records, searches, lists of logs.
func (s *counted) reads() [3]int {
	all := [3]int{s.gets, s.searches, s.lists}
	s.gets, s.searches, s.lists = 0, 0, 0
	return all
}

// record is a record of an exchange about an invoice.
func record(kind audit.Kind, id string, fill audit.Record) *audit.Record {
	fill.Kind, fill.ID, fill.Operation = kind, id, "FECAESolicitar"
	fill.Time = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	return &fill
}

// stored returns a store with these logs, each with its records.
func stored(t *testing.T, logs map[string][]*audit.Record) *counted {
	t.Helper()
	s := &counted{Store: audittest.NewMemory()}
	for log, records := range logs {
		if err := s.Commit(t.Context(), audittest.Seal(t, s.Store, log, records...)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// shared is a store of two gateways. The second has asked about an outcome that the first left unknown.
func shared(t *testing.T) *counted {
	t.Helper()
	return stored(t, map[string][]*audit.Record{
		"one": {
			record(audit.KindExchange, "before", audit.Record{Outcome: audit.OutcomeRefused}),
			record(audit.KindIntent, "x", audit.Record{Certainty: audit.Unknown, Request: []byte(`{}`)}),
			record(audit.KindOutcome, "x", audit.Record{Intent: 1, Outcome: audit.OutcomeUnknown, Certainty: audit.Unknown}),
		},
		"two": {
			record(audit.KindExchange, "x", audit.Record{Decision: audit.DecisionAsk, Outcome: audit.OutcomeAnswered}),
			record(audit.KindSettlement, "x", audit.Record{Intent: 1, IntentLog: "one", Outcome: audit.OutcomeNotIssued}),
		},
	})
}

// parts names the records of an exchange.
func parts(x *story.Exchange) string {
	var all []string
	for name, r := range map[string]*audit.Record{"intent": x.Intent, "outcome": x.Outcome, "settlement": x.Settlement, "asker": x.Asker} {
		if r != nil {
			all = append(all, name+" "+r.Address())
		}
	}
	for _, r := range x.Asked {
		all = append(all, "question "+r.Address())
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func whole(t *testing.T, r *read.Reader, log string, index uint64) *story.Exchange {
	t.Helper()
	x, err := r.Whole(t.Context(), log, index)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestAnyRecordLeadsToTheWhole, also over logs.
func TestAnyRecordLeadsToTheWhole(t *testing.T) {
	store := shared(t)
	const all = "intent one/1, outcome one/2, question two/0, settlement two/1"
	for place, want := range map[story.Place]string{
		{Log: "one", Index: 0}: "outcome one/0",
		{Log: "one", Index: 1}: all,
		{Log: "one", Index: 2}: all,
		{Log: "two", Index: 1}: all,
		{Log: "two", Index: 0}: "asker one/2",
	} {
		if got := parts(whole(t, &read.Reader{Store: store}, place.Log, place.Index)); got != want {
			t.Errorf("%s leads to %s, want %s", place.Address(), got, want)
		}
	}
	if _, err := (&read.Reader{Store: store}).Whole(t.Context(), "one", 9); !errors.Is(err, audit.ErrNotFound) {
		t.Errorf("a record that is not there: %v", err)
	}
}

// TestOnlyTheNamedLogsAreSearched, beside the log of the intent.
func TestOnlyTheNamedLogsAreSearched(t *testing.T) {
	store := shared(t)
	if got := parts(whole(t, &read.Reader{Store: store, Logs: []string{"one"}}, "one", 1)); got != "intent one/1, outcome one/2" || store.lists != 0 {
		t.Errorf("%s; the logs were listed %d times", got, store.lists)
	}
}

// TestARecordOfAnotherIntentIsNoPart, whatever its identifier is: as many as are looked at, and more.
func TestARecordOfAnotherIntentIsNoPart(t *testing.T) {
	one := []*audit.Record{
		record(audit.KindIntent, "x", audit.Record{}),
		record(audit.KindIntent, "x", audit.Record{}),
		record(audit.KindOutcome, "x", audit.Record{Intent: 0, Outcome: audit.OutcomeUnknown}),
		record(audit.KindOutcome, "x", audit.Record{Intent: 0, IntentLog: "two", Outcome: audit.OutcomeApproved}),
	}
	two := []*audit.Record{
		record(audit.KindSettlement, "x", audit.Record{Intent: 0, Outcome: audit.OutcomeRecovered}),
		record(audit.KindSettlement, "x", audit.Record{Intent: 1, IntentLog: "one", Outcome: audit.OutcomeRecovered}),
		record(audit.KindSettlement, "y", audit.Record{Intent: 0, IntentLog: "one", Outcome: audit.OutcomeRecovered}),
	}
	store := stored(t, map[string][]*audit.Record{"one": one, "two": two})
	for index, want := range []string{"intent one/0, outcome one/2", "intent one/1, settlement two/1"} {
		if got := parts(whole(t, &read.Reader{Store: store}, "one", uint64(index))); got != want {
			t.Errorf("one/%d leads to %s, want %s", index, got, want)
		}
	}
	for range 50 {
		one = append(one, record(audit.KindOutcome, "x", audit.Record{Intent: 1, IntentLog: "two"}))
	}
	store = stored(t, map[string][]*audit.Record{"one": one})
	if got := parts(whole(t, &read.Reader{Store: store}, "one", 0)); got != "intent one/0, outcome one/2" {
		t.Errorf("without a bound: %s", got)
	}
	if got := parts(whole(t, &read.Reader{Store: store, Most: 40}, "one", 0)); got != "intent one/0" {
		t.Errorf("with a bound: %s", got)
	}
}

// TestAQuestionLeadsToWhatItSettled: the intent has no outcome, but is no longer open.
func TestAQuestionLeadsToWhatItSettled(t *testing.T) {
	store := stored(t, map[string][]*audit.Record{
		"one": {record(audit.KindIntent, "x", audit.Record{})},
		"two": {
			record(audit.KindExchange, "x", audit.Record{Decision: audit.DecisionAsk}),
			record(audit.KindSettlement, "x", audit.Record{IntentLog: "one", Outcome: audit.OutcomeNotIssued}),
		},
	})
	if got := parts(whole(t, &read.Reader{Store: store}, "two", 0)); got != "asker one/0" {
		t.Errorf("the question leads to %s", got)
	}
}

// TestAMissingIntentIsAnErrorInItsOwnLog alone: the store need not have all logs.
func TestAMissingIntentIsAnErrorInItsOwnLog(t *testing.T) {
	store := stored(t, map[string][]*audit.Record{"two": {
		record(audit.KindSettlement, "x", audit.Record{Intent: 1, IntentLog: "one"}),
		record(audit.KindSettlement, "x", audit.Record{Intent: 9}),
	}})
	if got := parts(whole(t, &read.Reader{Store: store}, "two", 0)); got != "settlement two/0" {
		t.Errorf("%s", got)
	}
	if _, err := (&read.Reader{Store: store}).Whole(t.Context(), "two", 1); !errors.Is(err, audit.ErrNotFound) || !strings.Contains(err.Error(), "intent 9 of log two") {
		t.Error(err)
	}
}

// purged is a store whose intents have lost their content.
type purged struct{ audit.Store }

func (s purged) Get(ctx context.Context, log string, index uint64) (*audit.Record, error) {
	r, err := s.Store.Get(ctx, log, index)
	if err == nil && r.Kind == audit.KindIntent {
		r.Presence, r.Request = audit.Purged, nil
	}
	return r, err
}

// TestAPurgedIntentKeepsItsLinks.
func TestAPurgedIntentKeepsItsLinks(t *testing.T) {
	store := purged{shared(t)}
	for place := range map[story.Place]bool{{Log: "one", Index: 1}: true, {Log: "one", Index: 2}: true, {Log: "two", Index: 1}: true} {
		x := whole(t, &read.Reader{Store: store}, place.Log, place.Index)
		if got := parts(x); got != "intent one/1, outcome one/2, question two/0, settlement two/1" || x.Request().Presence != audit.Purged {
			t.Errorf("%s leads to %s, content %s", place.Address(), got, x.Request().Presence)
		}
	}
}

// TestTheNewestQuestionsAreRead, as many as are wanted, the oldest of them first.
func TestTheNewestQuestionsAreRead(t *testing.T) {
	log := []*audit.Record{record(audit.KindIntent, "x", audit.Record{})}
	for range 4 {
		log = append(log, record(audit.KindExchange, "x", audit.Record{Decision: audit.DecisionAsk}))
	}
	store := stored(t, map[string][]*audit.Record{"one": log})
	for most, want := range map[int]string{0: "1 2 3 4 false", 3: "2 3 4 true", 4: "1 2 3 4 false"} {
		x := whole(t, &read.Reader{Store: store, Most: most}, "one", 0)
		var got []string
		for _, r := range x.Asked {
			got = append(got, fmt.Sprint(r.Index))
		}
		if got := fmt.Sprint(strings.Join(got, " "), " ", x.AskedBefore); got != want {
			t.Errorf("at most %d: %s, want %s", most, got, want)
		}
	}
	if got := parts(whole(t, &read.Reader{Store: store}, "one", 2)); got != "asker one/0" {
		t.Errorf("the question is about %s", got)
	}
}

// TestNothingIsReadForNothing: searches cost most, and an outcome that leaves nothing open needs none. The
// logs are listed once.
func TestNothingIsReadForNothing(t *testing.T) {
	store := shared(t)
	unknown := record(audit.KindOutcome, "x", audit.Record{Log: "one", Intent: 1, Outcome: audit.OutcomeUnknown})
	approved := record(audit.KindOutcome, "x", audit.Record{Log: "one", Intent: 1, Outcome: audit.OutcomeApproved, Certainty: audit.Answered})
	refused := record(audit.KindExchange, "x", audit.Record{Log: "one", Outcome: audit.OutcomeUnknown})
	reader := &read.Reader{Store: store}
	for _, test := range []struct {
		of         *audit.Record
		want       [3]int
		settlement bool
	}{
		{approved, [3]int{}, false},
		{refused, [3]int{}, false},
		{unknown, [3]int{0, 2, 1}, true}, // its own log, the list, the other log
		{unknown, [3]int{0, 2, 0}, true},
	} {
		x := story.ExchangeOf(test.of)
		if err := reader.AddResult(t.Context(), x); err != nil || (x.Settlement != nil) != test.settlement {
			t.Errorf("%s: settlement %v, %v", test.of.Outcome, x.Settlement, err)
		}
		if got := store.reads(); got != test.want {
			t.Errorf("%s: read %v, want %v", test.of.Outcome, got, test.want)
		}
	}
	for at, want := range map[*audit.Record][3]int{approved: {1}, refused: {}, record(audit.KindSettlement, "x", audit.Record{Log: "one", Intent: 1}): {}} {
		if _, err := read.Found(t.Context(), store, at); err != nil || store.reads() != want {
			t.Errorf("%s %s: %v", at.Kind, at.Outcome, err)
		}
	}
}

// TestAPageOfAnAnsweredExchangeTakesFewReads: records, searches, lists of logs.
func TestAPageOfAnAnsweredExchangeTakesFewReads(t *testing.T) {
	store := stored(t, map[string][]*audit.Record{"one": {
		record(audit.KindIntent, "x", audit.Record{Certainty: audit.Unknown}),
		record(audit.KindOutcome, "x", audit.Record{Outcome: audit.OutcomeApproved, Certainty: audit.Answered}),
		record(audit.KindExchange, "y", audit.Record{Outcome: audit.OutcomeRefused}),
	}})
	for index, want := range [][3]int{{1, 2, 0}, {2, 1, 0}, {1, 0, 0}} {
		whole(t, &read.Reader{Store: store, Logs: []string{"one"}}, "one", uint64(index))
		if got := store.reads(); got != want {
			t.Errorf("record %d takes %v, want %v", index, got, want)
		}
	}
}
