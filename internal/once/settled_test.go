package once_test

import (
	"slices"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/once"
)

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
