package exchange_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
)

// TestARefusedRequestCanBeTried: the page leads to it, of each record of the exchange, and of no other exchange.
func TestARefusedRequestCanBeTried(t *testing.T) {
	d := newDesk(t, false)
	const tried = `role="button">Probar este pedido</a>`
	refused := d.refused("r", 5, begun)
	intent := d.intent("s", 6, 1)
	rejected := d.add(about(6, 1, audit.Record{
		Kind: audit.KindOutcome, ID: "s", Intent: intent, Decision: "forward", Outcome: "rejected", Certainty: audit.Answered, Status: 200,
	}))
	for _, at := range []string{refused, rejected, audit.Address(log, intent)} {
		d.inOrder(d.page(at), `<a href="/consola/try/`+at+`" `+tried, "Qué pasó")
	}
	unkept := d.add(about(7, 1, audit.Record{Kind: audit.KindExchange, ID: "u", Decision: "refuse", Outcome: "refused", Certainty: audit.NotSent, Status: 200}))
	for _, at := range []string{d.approved("a", 8, 1), unkept} {
		if strings.Contains(d.page(at), tried) {
			t.Errorf("%s can be tried", at)
		}
	}
	audittest.Purge(t, d.store, nil, d.store.Purger(), audit.PurgeRequest{Log: log, Before: audit.PeriodOf(begun.AddDate(0, 1, 0))})
	if strings.Contains(d.page(refused), tried) {
		t.Error("what was purged can be tried")
	}
}
