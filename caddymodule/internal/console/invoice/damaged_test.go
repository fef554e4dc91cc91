package invoice_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/internal/audittest"
)

// TestDamageIsNoAbsence: what can be read of an invoice is told, and the page says that it may lack something. A sheet for
// the customer needs all of it.
func TestDamageIsNoAbsence(t *testing.T) {
	d := newDesk(t)
	d.add(log, record(audit.KindExchange, audit.OutcomeRefused, 5, 1, audit.Voucher{}))
	d.issue(log, audit.OutcomeApproved, 5, 1, granted)
	store := &audittest.Damaged{Store: d.store}
	d.site.Open = func(_ context.Context, do func([]site.Source) error) error {
		return do([]site.Source{{Store: store, Logs: d.logs}})
	}
	for name, c := range map[string]struct {
		content, summary map[uint64]bool
		want             []string
		status, sheet    int
	}{
		"nothing":              {nil, nil, []string{"Aprobado", cae}, http.StatusOK, http.StatusOK},
		"an attempt":           {nil, map[uint64]bool{0: true}, []string{"Hay registros dañados", "Aprobado", cae}, http.StatusOK, http.StatusInternalServerError},
		"the answer's content": {map[uint64]bool{2: true}, nil, []string{"Hay registros dañados", "Aprobado", cae}, http.StatusOK, http.StatusInternalServerError},
		"the answer":           {nil, map[uint64]bool{2: true}, []string{"Hay registros dañados", "rechazó el pedido"}, http.StatusOK, http.StatusInternalServerError},
		"all":                  {nil, map[uint64]bool{0: true, 1: true, 2: true}, []string{"Hay registros dañados", "No consta ningún pedido"}, http.StatusNotFound, http.StatusInternalServerError},
	} {
		store.Content, store.Summary = c.content, c.summary
		w := d.get(at, "es")
		if w.Code != c.status {
			t.Fatalf("%s: status %d\n%s", name, w.Code, w.Body)
		}
		d.inOrder(w.Body.String(), c.want...)
		if name == "nothing" {
			d.hasNone(w.Body.String(), "dañado")
		}
		if w := d.get(at+"/constancia.html", "es"); w.Code != c.sheet {
			t.Errorf("%s: the sheet: status %d", name, w.Code)
		}
	}
}
