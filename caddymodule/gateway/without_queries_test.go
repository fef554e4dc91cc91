package gateway_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestAServiceThatCannotBeAskedIsNamed: it issues, and has no FECompConsultar. What it answers is
// told, not that it is silent.
func TestAServiceThatCannotBeAskedIsNamed(t *testing.T) {
	upstream := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		switch filepath.Base(r.URL.Path) {
		case "FECAESolicitar":
			panic(http.ErrAbortHandler) // its answer is lost
		case "FEDummy":
			caddytest.Answering(200, `{"AppServer":"OK","DbServer":"OK","AuthServer":"OK"}`)(w, r)
		default:
			http.NotFound(w, r)
		}
	})
	s, log := caddytest.NewSite(t), filepath.Join(t.TempDir(), "log")
	config := s.Config(s.WithAudit("recover within 400ms", "replay on", "breaker 10 rest 1h"), caddytest.ProxyTo(upstream.URL))
	s.Load(strings.Replace(config, "{\n", "{\n log {\n"+caddytest.LogTo(log)+" }\n", 1))
	wants := func(when string, got caddytest.Response, status int, code string) {
		t.Helper()
		if got.Status != status || got.Codes(t)[0] != code || !strings.Contains(string(got.Body), "HTTP 404 a FECompConsultar") ||
			strings.Contains(string(got.Body), "no responde") {
			t.Errorf("%s: %d %s", when, got.Status, got.Body)
		}
	}
	wants("the lost request", s.Post("FECAESolicitar", caddytest.Invoice(1)), 504, "upstream.unknown")
	wants("the same again", s.Post("FECAESolicitar", caddytest.Invoice(1)), 503, "once.unsettled")
	wants("the next", s.Post("FECAESolicitar", caddytest.Invoice(2)), 503, "once.unsettled")
	var last caddytest.Response
	for range 10 {
		last = s.Post("FECAESolicitar", caddytest.Invoice(2))
	}
	wants("when the breaker is open", last, 503, "service.outage")
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "the service does not answer") || strings.Contains(string(text), `"service":""`) {
		t.Errorf("the log:\n%s", text)
	}
}
