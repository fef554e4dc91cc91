package reading_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/qr"
)

// TestShowHasTheQROfApprovedInvoices, whichever half of the exchange is named.
func TestShowHasTheQROfApprovedInvoices(t *testing.T) {
	want, err := qr.Content{
		Cuit: 20111111112, PtoVta: 1, CbteTipo: 6, InvoiceRange: wsfev1.InvoiceRange{CbteDesde: 1, CbteHasta: 1}, CbteFch: "20261120",
		ImpTotal: wsfev1.MustAmount("121"), MonId: "PES", DocTipo: 99, Authorisation: "86470000000001",
	}.Address()
	if err != nil {
		t.Fatal(err)
	}
	s := caddytest.Start(t, caddytest.ProxyTo(caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval)).URL))
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	for record := range 2 {
		if out := s.Show(fmt.Sprint(record)); strings.Count(out, "\nqr ") != 1 || !regexp.MustCompile(`(?m)^qr +1 `+regexp.QuoteMeta(want)+`$`).MatchString(out) {
			t.Errorf("record %d: no line with %s:\n%s", record, want, out)
		}
		var object struct {
			QR []struct {
				CbteNro int64  `json:"cbte_nro"`
				Address string `json:"address"`
			} `json:"qr"`
		}
		out := s.Show(fmt.Sprint(record), "--format", "json")
		if err := json.Unmarshal([]byte(out), &object); err != nil || len(object.QR) != 1 || object.QR[0].CbteNro != 1 || object.QR[0].Address != want {
			t.Errorf("record %d: %v %+v\n%s", record, err, object, out)
		}
	}
}

// TestShowHasNoQROfTestInvoices, and says so; what was refused has no such line.
func TestShowHasNoQROfTestInvoices(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t), "replay on")
	for range 2 { // records 0 and 1, and the repetition
		s.Post("FECAESolicitar", caddytest.Invoice(1))
	}
	s.Post("FECAESolicitar", strings.Replace(caddytest.Invoice(2), "121.00", "150.00", 1))
	for _, record := range []int{1, 2} {
		if out := s.Show(fmt.Sprint(record)); !regexp.MustCompile(`(?m)^qr +1 none: a test code of the built-in service, no fiscal validity$`).MatchString(out) {
			t.Errorf("record %d:\n%s", record, out)
		}
		if out := s.Show(fmt.Sprint(record), "--format", "json"); strings.Contains(out, `"qr"`) {
			t.Errorf("record %d:\n%s", record, out)
		}
	}
	if out := s.Show("3"); strings.Contains(out, "\nqr ") {
		t.Errorf("a refusal:\n%s", out)
	}
}

// TestShowExplainsWhereThereIsNoQR: of a range, and of an exchange whose figures are hidden.
func TestShowExplainsWhereThereIsNoQR(t *testing.T) {
	behind, s := caddytest.FreeAddress(t), caddytest.NewSite(t)
	s.Load(s.Config(s.WithAudit(caddytest.TrailOption+"redact /FeCAEReq/FeDetReq/FECAEDetRequest/*/ImpTotal"), caddytest.ProxyTo(behind)) +
		caddytest.ServiceSite(behind, filepath.Join(t.TempDir(), "ledger.db"), ""))
	s.Post("FECAESolicitar", strings.Replace(caddytest.Invoice(1), `"CbteHasta":1`, `"CbteHasta":3`, 1))
	if out := s.Show("1"); !strings.Contains(out, `"CAE": "`) || strings.Contains(out, "fe/qr") {
		t.Errorf("hidden:\n%s", out)
	}
	s = caddytest.NewSite(t)
	behind = caddytest.FreeAddress(t)
	s.Load(s.Config(s.WithAudit(), caddytest.ProxyTo(behind)) + caddytest.ServiceSite(behind, filepath.Join(t.TempDir(), "ledger.db"), ""))
	s.Post("FECAESolicitar", strings.Replace(caddytest.Invoice(1), `"CbteHasta":1`, `"CbteHasta":3`, 1))
	if out := s.Show("1"); !regexp.MustCompile(`(?m)^qr +1 none: each invoice of the range`).MatchString(out) {
		t.Errorf("a range:\n%s", out)
	}
}
