package exchange_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/internal/audittest"
)

// damage makes records unreadable: of the first their content, of the others all.
func (d *desk) damage(content uint64, whole ...uint64) {
	store := &audittest.Damaged{Store: d.store, Content: map[uint64]bool{content: true}, Summary: map[uint64]bool{}}
	for _, index := range whole {
		store.Summary[index] = true
	}
	d.site.Open = func(_ context.Context, do func([]site.Source) error) error {
		return do([]site.Source{{Store: store, Logs: []string{log}}})
	}
}

// TestADamagedRecordShowsItsSummary with a note. Where nothing can be read, the page says so, and not that there is none.
func TestADamagedRecordShowsItsSummary(t *testing.T) {
	d := newDesk(t, false)
	at := d.approved("a", 5, 1)
	d.approved("b", 6, 1)
	d.damage(1, 3)
	d.inOrder(d.page(at), "Hay registros dañados", "fielato wsfev1 audit verify", "Factura B", "aprobado", "CAE", cae(5), "El contenido está dañado y no se puede leer",
		"Recibido", "Enviado", "Respuesta", "FECAEDetRequest")
	d.inOrder(d.page(at), "Respuesta", "dañado: no se puede leer")
	d.inOrder(d.page("gateway-1/2"), "Hay registros dañados", "Intención") // its outcome may be the damaged one
	w := d.answered(http.MethodGet, "/consola/exchange/gateway-1/3")
	if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "Un registro que esta página necesita está dañado") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := d.answered(http.MethodGet, "/consola/exchange/gateway-1/1/answer"); w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "FeDetResp") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	d.damage(0) // the request
	d.inOrder(d.page(at), "Hay registros dañados", "Factura B", "aprobado", cae(5), "Respuesta", "FECAEDetResponse")
	d.damage(99)
	if page := d.page(at); strings.Contains(page, "dañado") {
		t.Errorf("a sound record:\n%s", page)
	}
}
