package gateway_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/qr"
)

// invoiceQR is the text of the QR code of invoice 1 of the tests.
func invoiceQR(t *testing.T, date, code string) string {
	t.Helper()
	address, err := qr.Content{
		Cuit: 20111111112, PtoVta: 1, CbteTipo: 6, InvoiceRange: wsfev1.InvoiceRange{CbteDesde: 1, CbteHasta: 1}, CbteFch: wsfev1.Date(date),
		ImpTotal: wsfev1.MustAmount("121"), MonId: "PES", DocTipo: 99, Authorisation: code,
	}.Address()
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// TestQRIsInTheHeaderOnDemand, of the answer and of its repetition; the body stays as it came.
func TestQRIsInTheHeaderOnDemand(t *testing.T) {
	for _, option := range []string{"", "qr off", "qr header"} {
		t.Run(option, func(t *testing.T) {
			upstream := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
			s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "replay on", option)
			for _, word := range []string{"approved", "replayed"} {
				got := s.Post("FECAESolicitar", caddytest.Invoice(1))
				if string(got.Body) != caddytest.Approval || got.Header.Get("Wsfev1-Outcome") != word {
					t.Fatalf("%s %s", got.Header, got.Body)
				}
				want := ""
				if option == "qr header" {
					want = invoiceQR(t, "20261120", "86470000000001")
				}
				if header := strings.Join(got.Header.Values("Wsfev1-Qr"), " "); header != want {
					t.Errorf("%s\n got %s\nwant %s", word, header, want)
				}
			}
		})
	}
}

// TestQRIsInTheHeaderOfARecoveredAnswerAndOfAQuery, and of nothing that is not approved.
func TestQRIsInTheHeaderOfARecoveredAnswerAndOfAQuery(t *testing.T) {
	behind, s := caddytest.FreeAddress(t), caddytest.NewSite(t)
	s.Load(s.Config(s.WithAudit(append(caddytest.Exactly, "qr header")...), caddytest.ProxyTo(behind)) +
		caddytest.ServiceSite(behind, filepath.Join(t.TempDir(), "ledger.db"), caddytest.FaultOnce("drop")))
	query := "{" + caddytest.AuthText + `,"FeCompConsReq":{"CbteTipo":6,"CbteNro":%d,"PtoVta":1}}`
	if none := s.Post("FECompConsultar", fmt.Sprintf(query, 9)); none.Header.Values("Wsfev1-Qr") != nil {
		t.Errorf("an invoice that does not exist: %s", none.Header)
	}
	issued := s.Post("FECAESolicitar", caddytest.Invoice(1))
	date, code := issued.At(t, "/FeDetResp/FECAEDetResponse/0/CbteFch"), issued.At(t, "/FeDetResp/FECAEDetResponse/0/CAE")
	want := invoiceQR(t, strings.Trim(date, `"`), strings.Trim(code, `"`))
	if issued.Header.Get("Wsfev1-Outcome") != "recovered" || issued.Header.Get("Wsfev1-Qr") != want {
		t.Errorf("%s\nwant %s", issued.Header, want)
	}
	if asked := s.Post("FECompConsultar", fmt.Sprintf(query, 1)); asked.Header.Get("Wsfev1-Qr") != want {
		t.Errorf("%s\nwant %s", asked.Header, want)
	}
	if refused := s.Post("FECAESolicitar", strings.Replace(caddytest.Invoice(2), "121.00", "150.00", 1)); refused.Header.Values("Wsfev1-Qr") != nil {
		t.Errorf("a refusal: %s", refused.Header)
	}
}

// lotOf is a lot of so many invoices, of which last begins a range up to end.
func lotOf(count, end int) string {
	first, rest, _ := strings.Cut(caddytest.Invoice(1), `"FECAEDetRequest":[`)
	detail := strings.TrimSuffix(rest, "]}}}")
	details := make([]string, count)
	for i := range details {
		details[i] = strings.NewReplacer(`"CbteDesde":1,`, fmt.Sprintf(`"CbteDesde":%d,`, i+1), `"CbteHasta":1,`, fmt.Sprintf(`"CbteHasta":%d,`, i+1)).Replace(detail)
	}
	details[count-1] = strings.Replace(details[count-1], fmt.Sprintf(`"CbteHasta":%d,`, count), fmt.Sprintf(`"CbteHasta":%d,`, end), 1)
	return strings.Replace(first, `"CantReg":1`, fmt.Sprintf(`"CantReg":%d`, count), 1) + `"FECAEDetRequest":[` + strings.Join(details, ",") + "]}}}"
}

// TestQRsOfALotAreAllOrNone: a client finds the code of an invoice by its place.
func TestQRsOfALotAreAllOrNone(t *testing.T) {
	for _, c := range []struct{ count, end, want int }{{10, 10, 10}, {11, 11, 0}, {3, 5, 0}} {
		t.Run(fmt.Sprintf("%d-to-%d", c.count, c.end), func(t *testing.T) {
			behind, s := caddytest.FreeAddress(t), caddytest.NewSite(t)
			s.Load(s.Config(s.WithAudit("qr header"), caddytest.ProxyTo(behind)) + caddytest.ServiceSite(behind, filepath.Join(t.TempDir(), "ledger.db"), ""))
			got := s.Post("FECAESolicitar", lotOf(c.count, c.end))
			if got.At(t, "/FeCabResp/Resultado") != `"A"` {
				t.Fatalf("%s", got.Body)
			}
			seen := map[string]bool{}
			for _, line := range got.Header.Values("Wsfev1-Qr") {
				seen[line] = true
			}
			if len(seen) != c.want {
				t.Errorf("%d codes, want %d: %s", len(seen), c.want, got.Header)
			}
		})
	}
}

// TestTestInvoicesHaveNoQR: printed on an invoice of the built-in service, one would look real.
func TestTestInvoicesHaveNoQR(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t), "qr header", "replay on")
	for range 2 { // the answer, and its repetition
		got := s.Post("FECAESolicitar", caddytest.Invoice(1))
		if got.At(t, "/FeCabResp/Resultado") != `"A"` || got.Header.Values("Wsfev1-Qr") != nil {
			t.Errorf("%s %s", got.Header, got.Body)
		}
	}
	if got := s.Post("FECompConsultar", "{"+caddytest.AuthText+`,"FeCompConsReq":{"CbteTipo":6,"CbteNro":1,"PtoVta":1}}`); got.Header.Values("Wsfev1-Qr") != nil {
		t.Errorf("%s", got.Header)
	}
}
