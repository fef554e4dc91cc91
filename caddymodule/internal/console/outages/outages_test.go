package outages_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/console/outages"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/internal/audittest"
)

const log = "gateway-1"

var noon = time.Date(2026, 11, 22, 15, 0, 0, 0, time.UTC)

func newSite(t *testing.T, records ...audit.Record) *site.Site {
	t.Helper()
	store, err := sqlite.Open(filepath.Join(t.TempDir(), "audit.db"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := audit.Open(t.Context(), store, log, audittest.Key(t, log), audit.Options{First: true, Random: rand.NewChaCha8([32]byte{3})})
	if err != nil {
		t.Fatal(err)
	}
	for i := range records {
		if _, err := w.Append(t.Context(), &records[i]); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, err := range []error{w.Close(), store.Close()} {
			if err != nil {
				t.Error(err)
			}
		}
	})
	s := &site.Site{Base: "/consola", Now: func() time.Time { return noon }, Logger: zap.NewNop(), Open: func(_ context.Context, do func([]site.Source) error) error {
		return do([]site.Source{{Store: store, Logs: []string{log}}})
	}}
	s.Prepare()
	outages.Add(s)
	return s
}

func get(t *testing.T, s *site.Site, path, language string) (int, string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, s.Base+path, nil)
	r.Header.Set("Accept-Language", language)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// record is a record of an outage that began at noon.
func record(id string, outcome audit.Outcome, lasted time.Duration, detail string) audit.Record {
	return audit.Record{Kind: audit.KindOutage, ID: id, Time: noon.Add(-3 * time.Hour), Duration: lasted, Upstream: "service.example:443", Outcome: outcome, Detail: detail}
}

const evidence = `{"failures":{"network":1200,"service":2},"first":"gateway-1/2","last":"gateway-1/9","answer":"gateway-1/12"}`

func TestAnOutageIsShownWithItsProof(t *testing.T) {
	s := newSite(t, record("o", "outage_began", time.Minute, evidence), record("o", "outage_ended", 90*time.Minute, evidence))
	code, body := get(t, s, "/outages", "es")
	if code != http.StatusOK || strings.Count(body, "<article>\n<header>") != 1 {
		t.Fatalf("%d %s", code, body)
	}
	for _, text := range []string{
		"noviembre de 2026", "22/11/2026 09:00:00", "22/11/2026 10:30:00", "1 h 30 min", "1.200 sin conexión, con la conexión cortada o sin respuesta a tiempo, 2 con una respuesta",
		"/consola/exchange/gateway-1/2", "/consola/exchange/gateway-1/9", "/consola/exchange/gateway-1/12", "/consola/proof/gateway-1/1", "todo lo que se le pidió en ese tiempo",
	} {
		if !strings.Contains(body, text) {
			t.Errorf("no %q in:\n%s", text, body)
		}
	}
	if _, body := get(t, s, "/outages?month=2026-10", "en"); !strings.Contains(body, "No outage is recorded in this month.") {
		t.Error(body)
	}
}

// TestAnOutageThatGoesOn has no end, and of one with the scope changes queries were answered.
func TestAnOutageThatGoesOn(t *testing.T) {
	s := newSite(t, record("o", "outage_began", time.Minute, `{"scope":"changes","service":"<b>x</b>","failures":{"network":5}}`))
	_, body := get(t, s, "/outages", "en")
	for _, text := range []string{"ongoing", "requests to issue; queries were answered", "&lt;b&gt;x&lt;/b&gt;", "the gateway has seen no answer since"} {
		if !strings.Contains(body, text) {
			t.Errorf("no %q in:\n%s", text, body)
		}
	}
}

func TestOtherMonthsHaveAnAddress(t *testing.T) {
	s := newSite(t)
	for _, bad := range []string{"2026-12", "x", "2026-11-01", "1999-01"} {
		if code, _ := get(t, s, "/outages?month="+bad, "es"); code != http.StatusBadRequest {
			t.Errorf("%s: %d", bad, code)
		}
	}
	if _, body := get(t, s, "/outages?month=2026-10", "es"); !strings.Contains(body, "month=2026-09") || !strings.Contains(body, "month=2026-11") {
		t.Error(body)
	}
}

// TestTheBuiltInServiceIsNoAuthority: nobody may take its outage for one of ARCA.
func TestTheBuiltInServiceIsNoAuthority(t *testing.T) {
	r := record("o", "outage_ended", time.Hour, evidence)
	r.Upstream = "wsfev1_backend"
	if _, body := get(t, newSite(t, r), "/outages", "es"); !strings.Contains(body, "no es una caída de ARCA") || strings.Contains(body, "wsfev1_backend") {
		t.Error(body)
	}
}

// TestTheInvoicesOfAnOutage stand on a page of its own, one click from the list.
func TestTheInvoicesOfAnOutage(t *testing.T) {
	asked := func(number int64, at time.Duration, outcome audit.Outcome) audit.Record {
		return audit.Record{
			Kind: audit.KindExchange, ID: string(outcome) + at.String(), Time: noon.Add(-3*time.Hour + at), Operation: "FECAESolicitar", Cuit: 20111111112, PtoVta: 1, CbteTipo: 6,
			Vouchers: []audit.Voucher{{CbteDesde: number, CbteHasta: number}}, Decision: "forward", Outcome: outcome,
		}
	}
	issued := asked(7, 2*time.Hour, "approved")
	issued.Vouchers[0].Code, issued.Vouchers[0].Resultado = "76470000000018", "A"
	s := newSite(t, record("o", "outage_began", time.Minute, `{"failures":{"network":3}}`), asked(7, time.Minute, "outage"), asked(7, 20*time.Minute, "outage"),
		asked(8, time.Hour, "outage"), record("o", "outage_ended", 90*time.Minute, `{"failures":{"network":3}}`), issued)
	if _, body := get(t, s, "/outages", "es"); !strings.Contains(body, `href="/consola/outages/gateway-1/4"`) {
		t.Error(body)
	}
	for index := range 2 { // both records lead to it
		code, body := get(t, s, "/outages/gateway-1/"+[]string{"0", "4"}[index], "es")
		if code != http.StatusOK {
			t.Fatal(code)
		}
		for _, text := range []string{
			"22/11/2026 09:00:00", "22/11/2026 10:30:00", "1 h 30 min", "2 comprobantes pedidos (3 intentos): 1 se emitió después, 1 no se emitió.", "/consola/exchange/gateway-1/5",
			`Factura B <span class="number">0001-00000007</span>`, "Hechos que constan", "no consta ninguno en este registro de auditoría", "/consola/proof/gateway-1/4",
		} {
			if !strings.Contains(body, text) {
				t.Errorf("no %q in:\n%s", text, body)
			}
		}
	}
	if _, body := get(t, s, "/outages/gateway-1/4", "en"); !strings.Contains(body, "2 invoices asked for (3 requests): 1 was issued later, 1 was not issued.") {
		t.Error(body)
	}
	for _, path := range []string{"/outages/gateway-1/1", "/outages/gateway-1/99", "/outages/nobody/0"} {
		if code, _ := get(t, s, path, "es"); code != http.StatusNotFound {
			t.Errorf("%s: %d", path, code)
		}
	}
}
