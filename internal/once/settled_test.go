package once_test

import (
	"slices"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/once"
	"github.com/fielato/fielato/wsfev1"
)

// TestWhatWasNotDeclaredIsNotAskedAgain: the settlement of a point of sale without movement is
// found in its queue, even if the outcome was that nothing was done.
func TestWhatWasNotDeclaredIsNotAskedAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		r := requestOf(wsfev1.OperationByName("FECAEASinMovimientoInformar"), &wsfev1.FECAEASinMovimientoRequest{
			Auth: g.service.Auth(), PtoVta: 3, CAEA: "36470000000005",
		})
		for _, kind := range []audit.Kind{audit.KindIntent, audit.KindOutcome} {
			record := g.record(r, kind)
			record.Vouchers = []audit.Voucher{{Code: r.Key.CAEA}}
			if _, err := g.write(record); err != nil {
				t.Fatal(err)
			}
		}
		journal := &once.AuditJournal{Store: g.store, Log: logName, Write: g.writeSettled, Now: time.Now}
		memory, err := journal.Recall(t.Context(), r.Key.OrderingKey, "")
		if err != nil || len(memory.Open) != 1 {
			t.Fatalf("%+v, %v", memory, err)
		}
		if _, err := journal.Settled(t.Context(), memory.Open[0], &once.Settlement{Verdict: once.NotIssued}, g.service); err != nil {
			t.Fatal(err)
		}
		if memory, err = journal.Recall(t.Context(), r.Key.OrderingKey, ""); err != nil || len(memory.Open) != 0 {
			t.Errorf("when it is settled: %+v, %v", memory, err)
		}
	})
}

// TestASettlementHasTheEnvironmentOfWhoAnswered, whether or not the service has the invoice.
func TestASettlementHasTheEnvironmentOfWhoAnswered(t *testing.T) {
	inBubble(t, func(t *testing.T, g *gateway) {
		g.service.environment = audit.EnvironmentTesting
		issued, absent := request("100", 1), request("100", 2)
		g.service.issue(issued)
		for _, r := range []*once.Request{issued, absent} {
			turn := enter(t, g, r)
			intent, err := g.write(g.record(r, audit.KindIntent))
			if err != nil {
				t.Fatal(err)
			}
			turn.Leave(once.Result{State: once.Unknown, Pending: once.PendingOf(r, "id", intent, time.Now())})
			<-g.settled
		}
		var outcomes []audit.Outcome
		for r, err := range g.store.Search(t.Context(), audit.Query{Log: logName, Kind: audit.KindSettlement}) {
			if err != nil {
				t.Fatal(err)
			}
			outcomes = append(outcomes, r.Outcome)
			if r.Environment != audit.EnvironmentTesting {
				t.Errorf("%s: %q", r.Outcome, r.Environment)
			}
		}
		if len(outcomes) != 2 || !slices.Contains(outcomes, audit.OutcomeRecovered) || !slices.Contains(outcomes, audit.OutcomeNotIssued) {
			t.Errorf("settled as %v", outcomes)
		}
	})
}
