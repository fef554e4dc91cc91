package invoice_test

import (
	"testing"

	"github.com/fielato/fielato/audit"
)

// TestTheNewestRefusalCanBeTried, unless the invoice is authorised or may be.
func TestTheNewestRefusalCanBeTried(t *testing.T) {
	d := newDesk(t)
	const tried = "Probar este pedido"
	d.add(log, record(audit.KindExchange, audit.OutcomeRefused, 5, 1, audit.Voucher{}))
	d.issue(log, audit.OutcomeRejected, 5, 1, denied)
	d.add(log, record(audit.KindExchange, audit.OutcomeRefused, 5, 1, audit.Voucher{}))
	d.inOrder(d.page("es"), "Rechazado", `<a href="/consola/try/gateway-1/3" role="button">`+tried, "Qué pasó")
	d.inOrder(d.page("en"), "Try this request")
	d.issue(log, audit.OutcomeUnknown, 5, 1, audit.Voucher{})
	d.hasNone(d.page("es"), tried)
	d.issue(log, audit.OutcomeApproved, 5, 1, granted)
	d.hasNone(d.page("es"), tried)
}
