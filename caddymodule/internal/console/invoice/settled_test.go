package invoice_test

import (
	"testing"

	"github.com/fielato/fielato/audit"
)

// TestALotOfCAEAIsSettledAsAWhole: its settlement names no number, and each invoice has its state from it, whichever log
// has the settlement.
func TestALotOfCAEAIsSettledAsAWhole(t *testing.T) {
	for _, name := range []string{log, beside} {
		d := newDesk(t)
		informed := func(r audit.Record) audit.Record {
			r.ID, r.Operation = "lot", "FECAEARegInformativo"
			return r
		}
		intent := d.add(log, informed(record(audit.KindIntent, "", 4, 3, audit.Voucher{})))
		lost := informed(record(audit.KindOutcome, audit.OutcomeUnknown, 4, 3, audit.Voucher{}))
		lost.Intent = intent
		d.add(log, lost)
		d.inOrder(d.page("es"), "No se sabe si fue informado")
		settled := informed(record(audit.KindSettlement, audit.OutcomeRecovered, 0, 1, granted))
		settled.Intent, settled.Vouchers[0].Code = intent, "36470000000018"
		if name != log {
			settled.IntentLog = log
		}
		d.add(name, settled)
		d.inOrder(d.page("es"), `class="outcome good"`, "Informado y aceptado", "CAEA <bdi>36470000000018", "más tarde la pasarela consultó", "/consola/exchange/"+name+"/")
	}
}

// TestWhatIsSettledIsOpenNowhere: neither the lost request nor its settlement names a service.
func TestWhatIsSettledIsOpenNowhere(t *testing.T) {
	d := newDesk(t)
	add := func(r audit.Record, id, upstream string, intent uint64) uint64 {
		r.ID, r.Upstream, r.Intent = id, upstream, intent
		return d.add(log, r)
	}
	for id, upstream := range map[string]string{"a": production, "b": "wswhomo.afip.gov.ar"} {
		intent := add(record(audit.KindIntent, "", 5, 1, audit.Voucher{}), id, upstream, 0)
		add(record(audit.KindOutcome, audit.OutcomeRejected, 5, 1, denied), id, upstream, intent)
	}
	intent := add(record(audit.KindIntent, "", 5, 1, audit.Voucher{}), "c", "", 0)
	add(record(audit.KindOutcome, audit.OutcomeUnknown, 5, 1, audit.Voucher{}), "c", "", intent)
	d.inOrder(d.page("es"), "No se sabe si fue emitido</span>", "En homologación", "No se sabe si fue emitido.")
	add(record(audit.KindSettlement, audit.OutcomeRecovered, 5, 1, granted), "c", "", intent)
	page := d.page("es")
	d.inOrder(page, "Rechazado por el servicio</span>", "En un servicio que no consta: Aprobado.", "En homologación", ": Rechazado por el servicio.")
	d.hasNone(page, "No se sabe si fue emitido")
}
