package invoice_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
)

// TestAmountsThatDoNotFitAreSaid as on the page of the exchange.
func TestAmountsThatDoNotFitAreSaid(t *testing.T) {
	d := newDesk(t)
	wrong := record(audit.KindExchange, audit.OutcomeRefused, 5, 1, audit.Voucher{})
	wrong.Request = []byte(strings.Replace(string(wrong.Request), `"ImpIVA":21`, `"ImpIVA":20.9`, 1))
	d.add(log, wrong)
	d.inOrder(d.page("es"), "Importes", "$ 20,90", `<span class="sum bad">no coincide: el detalle suma <bdi>$ 21,00</bdi>`, "Total", `<span class="sum bad">no coincide: las partes suman`)
	d.inOrder(d.page("en"), "does not match: the items add up to", "does not match: the parts add up to")
}

// TestAnAnswerGivesWhatItHas where the request is not kept: date and receiver, each in its place.
func TestAnAnswerGivesWhatItHas(t *testing.T) {
	d := newDesk(t)
	intent := record(audit.KindIntent, "", 5, 1, audit.Voucher{})
	intent.Request = nil
	at := d.add(log, intent)
	end := record(audit.KindOutcome, audit.OutcomeApproved, 5, 1, granted)
	end.Answer, end.Intent = answer(5, 1, granted), at
	d.add(log, end)
	d.inOrder(d.page("es"), "<dt>Fecha</dt><dd><bdi>21/11/2026</bdi></dd>", `<dt>Receptor</dt><dd class="number"><bdi>CUIT 20-22222222-3</bdi></dd>`)
	d.site.MaskAll = true
	d.inOrder(d.page("es"), "<dt>Fecha</dt>", `<dt>Receptor</dt><dd class="number"><bdi>oculto</bdi></dd>`)
}
