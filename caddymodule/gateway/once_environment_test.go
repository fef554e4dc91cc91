package gateway_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// inPlaceOf is the next handler for a host of the authority, for which a stub answers.
func inPlaceOf(host, stub string) string {
	return "reverse_proxy http://" + host + " {\n\t\ttransport http {\n\t\t\tnetwork_proxy url " + stub + "\n\t\t}\n\t}"
}

// TestATestIsNoAnswerInProduction: the trail of the tests was kept for production. The same invoice is issued there.
func TestATestIsNoAnswerInProduction(t *testing.T) {
	testing, production := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval)), caddytest.NewStub(t, caddytest.Answering(200,
		strings.Replace(caddytest.Approval, caddytest.CodeOf(1), "86479999999999", 1)))
	s := caddytest.Start(t, inPlaceOf("wswhomo.afip.gov.ar", testing.URL), caddytest.Exactly...)
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Header.Get("Wsfev1-Outcome") != "approved" || testing.Hits.Load() != 1 {
		t.Fatalf("the test: %d %v %s", got.Status, got.Header, got.Body)
	}
	s.Load(s.Config(s.WithAudit(caddytest.Exactly...), inPlaceOf("servicios1.afip.gov.ar", production.URL)))
	for _, want := range []string{"approved", "replayed"} {
		if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Header.Get("Wsfev1-Outcome") != want || !strings.Contains(string(got.Body), "86479999999999") {
			t.Errorf("in production: %d %v %s", got.Status, got.Header, got.Body)
		}
	}
	if n := production.Hits.Load(); n != 1 {
		t.Errorf("issued %d times in production", n)
	}
}

// TestATableOfTheTestsIsNotProductions: neither the cache nor the trail answers with it.
func TestATableOfTheTestsIsNotProductions(t *testing.T) {
	for name, load := range map[string]func(*caddytest.Site, string){"in the cache": (*caddytest.Site).Load, "in the trail": startAnew} {
		t.Run(name, func(t *testing.T) {
			testing, production := newTableService(t, conceptTable), newTableService(t, otherConcepts)
			s := caddytest.Start(t, inPlaceOf("wswhomo.afip.gov.ar", testing.URL), "cache 5m")
			testing.ask(t, s, "FEParamGetTiposConcepto", tableQuestion, conceptTable, "answered", 1)
			load(s, s.Config(s.WithAudit("cache 5m"), inPlaceOf("servicios1.afip.gov.ar", production.URL)))
			production.ask(t, s, "FEParamGetTiposConcepto", tableQuestion, otherConcepts, "answered", 1)
			load(s, s.Config(s.WithAudit("cache 5m"), inPlaceOf("wswhomo.afip.gov.ar", testing.URL)))
			testing.ask(t, s, "FEParamGetTiposConcepto", tableQuestion, conceptTable, "cached", 1)
		})
	}
}
