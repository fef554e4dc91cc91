package console_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

var elements = regexp.MustCompile(`\s*<[^>]*>\s*`)

// TestAMonthOfWhatAGatewayHasIssued: a lot, and single ones of which one was asked for twice and one was refused.
// Page, table and command have the same figures.
func TestAMonthOfWhatAGatewayHasIssued(t *testing.T) {
	p := serve(t, siteOf(guarded))
	for _, body := range []string{caddytest.LotText(0, 1, 5), caddytest.LotText(0, 6, 1), caddytest.LotText(0, 6, 1), caddytest.LotText(0, 7, 1)} {
		if got := p.gateway.Post("FECAESolicitar", body); got.Status != http.StatusOK {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
	}
	p.gateway.Post("FECAESolicitar", strings.Replace(caddytest.LotText(0, 8, 1), `"ImpTotal":121.00`, `"ImpTotal":122.00`, 1))
	month := presentMonth()
	got := p.open(http.MethodGet, "/consola/month?month="+month, contadora)
	text := elements.ReplaceAllString(string(got.Body), "|")
	text = regexp.MustCompile(`\|+`).ReplaceAllString(text, "|")
	for _, want := range []string{
		"|Servicio incorporado ·|27-30000000-8|·|Pesos Argentinos (PES)|De prueba, sin validez fiscal:", "|Factura B|1|7|1–7|700,00|147,00|847,00|Suma|7|700,00|147,00|847,00|",
		"|IVA 21 %|neto 700,00, IVA 147,00|", "|El mes no terminó:",
	} {
		if got.Status != http.StatusOK || !strings.Contains(text, want) {
			t.Errorf("%d without %q\n%s", got.Status, want, text)
		}
	}
	table := p.open(http.MethodGet, "/consola/month.csv?month="+month, contadora)
	lines := strings.Split(strings.TrimSuffix(string(table.Body), "\r\n"), "\r\n")
	if len(lines) != 8 || strings.Count(string(table.Body), ";100,00;") != 14 || strings.Count(string(table.Body), ";121,00;;27300000008;servicio incorporado;;") != 7 {
		t.Errorf("%d lines\n%s", len(lines), table.Body)
	}
	out, errs, err := caddytest.RunCommand("audit", "totals", "--month", month, "--store", "sqlite:"+p.gateway.Store)
	if err != nil || !strings.Contains(out, "     6    1      7      1     7  700.00  147.00  847.00\n") {
		t.Errorf("%v %s\n%s", err, errs, out)
	}
}

// TestAReaderClosesTheMonthOfOwnIssuers alone.
func TestAReaderClosesTheMonthOfOwnIssuers(t *testing.T) {
	p := serve(t, siteOf(guarded), "reader desk {\n user contadora\n cuits 30-50001091-2\n }")
	p.gateway.Post("FECAESolicitar", caddytest.Invoice(1))
	for _, address := range []string{"/consola/month?month=", "/consola/month.csv?month="} {
		got := p.open(http.MethodGet, address+presentMonth(), contadora)
		if got.Status != http.StatusOK || strings.Contains(string(got.Body), "121,00") || strings.Contains(string(got.Body), "11111111") {
			t.Errorf("%d %s", got.Status, got.Body)
		}
	}
}
