package simulator_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// struckOf sends a fresh service some requests and writes one letter for each: X for
// those that an error_500 struck.
func struckOf(t *testing.T, requests int, lines ...string) string {
	t.Helper()
	s := caddytest.Start(t, caddytest.WithFaults(t, lines...))
	var pattern strings.Builder
	for range requests {
		got := s.Post("FECompTotXRequest", "{"+caddytest.AuthText+"}")
		switch {
		case caddytest.FirstError(t, got) == "500":
			pattern.WriteByte('X')
		case got.At(t, "/RegXReq") == "250":
			pattern.WriteByte('.')
		default:
			t.Fatalf("got %d %s", got.Status, got.Body)
		}
	}
	// Without it, the next one of the same faults would go on where this one ends.
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	return pattern.String()
}

// TestFaultsCountTheRequestsThatMatch.
func TestFaultsCountTheRequestsThatMatch(t *testing.T) {
	for _, c := range []struct{ fault, want string }{
		{"fault error_500", "XXXXXX"},
		{"fault error_500 {\n count 2\n}", "XX...."},
		{"fault error_500 {\n after 3\n}", "...XXX"},
		{"fault error_500 {\n after 2\n count 1\n}", "..X..."},
		{"fault error_500 {\n operation FECompUltimoAutorizado FECompTotXRequest\n count 1\n}", "X....."},
		{"fault error_500 {\n operation FECompUltimoAutorizado\n}", "......"},
		{"fault error_500 {\n cuit 20111111112\n}", "XXXXXX"},
		{"fault error_500 {\n cuit 30000000007\n}", "......"},
		{"fault error_500 {\n pto_vta 1\n}", "......"},
		// The first that strikes is the only one; those after it do not count it.
		{"fault error_500 {\n count 2\n}\nfault delay {\n count 3\n delay fixed 1ms\n}\nfault error_500 {\n after 1\n}", "XX....X"},
	} {
		if got := struckOf(t, len(c.want), c.fault); got != c.want {
			t.Errorf("%s: %s, want %s", c.fault, got, c.want)
		}
	}
}

// TestFaultsRepeat: the same seed and the same requests meet the same faults, and
// another seed others.
func TestFaultsRepeat(t *testing.T) {
	const fault = "fault error_500 {\n probability 0.4\n}"
	const requests = 60
	first := struckOf(t, requests, fault, "fault_seed 7")
	if again := struckOf(t, requests, "fault_seed 7", fault); again != first {
		t.Errorf("the same seed:\n%s\n%s", first, again)
	}
	if other := struckOf(t, requests, fault, "fault_seed 8"); other == first {
		t.Errorf("another seed makes no difference: %s", first)
	}
	if n := strings.Count(first, "X"); n < requests/5 || n > requests*3/5 {
		t.Errorf("%d of %d with a probability of 0.4: %s", n, requests, first)
	}
}

// TestFaultsNarrowedToAnInvoice: by point of sale, type and number, whichever
// operation names them.
func TestFaultsNarrowedToAnInvoice(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithFaults(t, "fault error_500 {\n pto_vta 1\n cbte_tipo 6\n nro 2\n}"))
	consult := func(pointOfSale, tipo, number int) string {
		got := s.Post("FECompConsultar",
			fmt.Sprintf(`{%s,"FeCompConsReq":{"CbteTipo":%d,"CbteNro":%d,"PtoVta":%d}}`, caddytest.AuthText, tipo, number, pointOfSale))
		return caddytest.FirstError(t, got)
	}
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.At(t, "/FeCabResp/Resultado") != `"A"` {
		t.Fatalf("invoice 1: %s", got.Body)
	}
	if got := s.Post("FECAESolicitar", caddytest.Invoice(2)); caddytest.FirstError(t, got) != "500" {
		t.Errorf("invoice 2: %s", got.Body)
	}
	for _, c := range []struct {
		pointOfSale, tipo, number int
		want                      string
	}{{1, 6, 2, "500"}, {1, 6, 3, "602"}, {2, 6, 2, "602"}, {1, 11, 2, "602"}} {
		if got := consult(c.pointOfSale, c.tipo, c.number); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	if got := s.Post("FECompUltimoAutorizado", "{"+caddytest.AuthText+`,"PtoVta":1,"CbteTipo":6}`).At(t, "/CbteNro"); got != "1" {
		t.Errorf("a request that names no number: %s", got)
	}
}

// TestMalformedRequestsMeetNoFault: it would hide their mistakes.
func TestMalformedRequestsMeetNoFault(t *testing.T) {
	s := &caddytest.Site{T: t, URL: "http://" + caddytest.FreeAddress(t)}
	loadAlone(t, s.URL, caddytest.WithFaults(t, "fault drop"))
	if got := s.Post("FECompTotXRequest", "{}"); got.Status != 400 {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
	if got := s.Post("FENada", "{}"); got.Status != 404 {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
}
