package invoice_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/internal/audittest"
)

// TestSeveralStoresAreOneStory: with the links into each of them. An approval for a test does not hide that the
// number was rejected in production.
func TestSeveralStoresAreOneStory(t *testing.T) {
	d, other := newDesk(t), newDesk(t)
	d.issue(log, audit.OutcomeRejected, 5, 1, denied)
	other.issue(log, audit.OutcomeApproved, 5, 1, granted)
	d.site.Open = func(_ context.Context, do func([]site.Source) error) error {
		return do([]site.Source{{Store: d.store, Logs: d.logs}, {Store: other.store, Logs: other.logs}})
	}
	page := d.page("es")
	d.inOrder(page, "Aprobado", "/consola/proof/gateway-1:2/1/evidence?nro=5", "El servicio rechazó", "/consola/exchange/gateway-1/1", "El servicio aprobó", "/consola/exchange/gateway-1:2/1")
	d.hasNone(page, "más de un servicio")

	test := newDesk(t)
	r := record(audit.KindExchange, audit.OutcomeApproved, 5, 1, granted)
	r.Upstream = "wswhomo.afip.gov.ar:443"
	test.add(log, r)
	other.store = test.store
	page = d.page("es")
	d.inOrder(page, `class="outcome bad"`, "Rechazado por el servicio", "Entorno", "producción", "más de un servicio", "producción", "homologación")
	d.hasNone(page, "constancia.html")
}

// TestServicesOfOneStoreAreToldApart: an approval for a test is said, and is neither the state nor a sheet.
func TestServicesOfOneStoreAreToldApart(t *testing.T) {
	d := newDesk(t)
	refused := record(audit.KindExchange, audit.OutcomeRefused, 5, 1, denied)
	refused.ID, refused.Upstream, refused.Environment = "refused", "", audit.EnvironmentProduction
	d.add(log, refused)
	approved := record(audit.KindExchange, audit.OutcomeApproved, 5, 1, granted)
	approved.ID, approved.Upstream, approved.Environment = "approved", "proxy.internal:443", audit.EnvironmentTesting
	d.add(log, approved)
	page := d.page("es")
	d.inOrder(page, `class="outcome bad"`, "Rechazado por la pasarela", "Entorno", "producción", "más de un servicio",
		"En homologación (el servicio de pruebas de ARCA, sin validez fiscal): Aprobado.", "CAE de homologación, sin validez fiscal", "/consola/exchange/gateway-1/1", "Qué pasó")
	d.hasNone(page, "constancia.html")
	d.inOrder(d.page("en"), "production", "homologation", "Approved", cae)
	if w := d.get(at+"/constancia.html", "es"); w.Code != http.StatusNotFound {
		t.Errorf("a sheet about a test beside production: %d", w.Code)
	}
}

// TestTooManyExchanges are told by the command. A client that repeats an approved invoice all day must not hide that it is
// approved.
func TestTooManyExchanges(t *testing.T) {
	d := newDesk(t)
	d.issue(log, audit.OutcomeApproved, 5, 1, granted)
	var all []*audit.Record
	for range 1001 {
		r := record(audit.KindExchange, audit.OutcomeReplayed, 5, 1, granted)
		r.Time = noon
		all = append(all, &r)
	}
	if err := d.store.Commit(t.Context(), audittest.Seal(t, d.store, log, all...)); err != nil {
		t.Fatal(err)
	}
	w := d.get(at, "es")
	d.inOrder(w.Body.String(), "Aprobado", cae, "/consola/exchange/gateway-1/1", "Hay más intercambios", "fielato wsfev1 audit evidence --cuit 20111111112 --pto-vta 1 --cbte-tipo 6 --nro 5")
	if w.Code != http.StatusOK {
		t.Errorf("status %d", w.Code)
	}
}
