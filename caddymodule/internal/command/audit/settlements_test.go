package auditcmd

import (
	"context"
	"fmt"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
)

// askedForLogs counts how often a store is asked for its logs.
type askedForLogs struct {
	audit.Store
	times int
}

func (s *askedForLogs) Logs(ctx context.Context) ([]string, error) {
	s.times++
	return s.Store.Logs(ctx)
}

// TestSettlementsAskForTheLogsOnce, however many outcomes are unknown, and not at all where
// none is.
func TestSettlementsAskForTheLogsOnce(t *testing.T) {
	store := &askedForLogs{Store: audittest.NewMemory()}
	intent := &audit.Record{Kind: audit.KindIntent, ID: "lost"}
	if err := store.Commit(t.Context(), audittest.Seal(t, store.Store, "one", intent)); err != nil {
		t.Fatal(err)
	}
	settling := &audit.Record{Kind: audit.KindSettlement, ID: "lost", IntentLog: "one", Outcome: audit.OutcomeNotIssued}
	if err := store.Commit(t.Context(), audittest.Seal(t, store.Store, "other", settling)); err != nil {
		t.Fatal(err)
	}
	settled := &settlements{store: store}
	if found, err := settled.of(t.Context(), &audit.Record{Log: "one", Kind: audit.KindOutcome, Outcome: audit.OutcomeApproved}); found != nil || err != nil || store.times != 0 {
		t.Errorf("an approved one: %v, %v, asked %d times", found, err, store.times)
	}
	for n := range 3 {
		unknown := &audit.Record{Log: "one", Kind: audit.KindOutcome, Outcome: audit.OutcomeUnknown, ID: "lost"}
		found, err := settled.of(t.Context(), unknown)
		if err != nil || found == nil || found.Outcome != audit.OutcomeNotIssued {
			t.Errorf("the settlement in the other log: %v, %v", found, err)
		}
		unknown.ID = fmt.Sprint("open-", n)
		if found, err := settled.of(t.Context(), unknown); found != nil || err != nil {
			t.Errorf("one that is open: %v, %v", found, err)
		}
	}
	if store.times != 1 {
		t.Errorf("the store was asked for its logs %d times", store.times)
	}
}
