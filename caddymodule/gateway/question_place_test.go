package gateway_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestQuestionsGoWhereTheRequestWent: outer handlers may choose the service by facts that they
// found out about a request. The gateway must ask the same service.
func TestQuestionsGoWhereTheRequestWent(t *testing.T) {
	user := caddytest.Accounts("", "clerk")
	for name, next := range map[string]string{
		"by user": user + "@clerk vars {http.auth.user.id} clerk\n handle @clerk {\n reverse_proxy SERVICE\n }\n handle {\n reverse_proxy OTHER\n }",
		"by map":  user + "map {http.auth.user.id} {service} {\n clerk SERVICE\n default OTHER\n }\n reverse_proxy {service}",
		"by vars": user + "vars service SERVICE\n reverse_proxy {vars.service}",
	} {
		t.Run(name, func(t *testing.T) {
			other := caddytest.NewStub(t, caddytest.Answering(200, `{"Errors":{"Err":[{"Code":602,"Msg":"No existen datos"}]}}`))
			s := caddytest.NewSite(t)
			behind := caddytest.FreeAddress(t)
			next := strings.NewReplacer("SERVICE", behind, "OTHER", strings.TrimPrefix(other.URL, "http://")).Replace(next)
			s.Load(s.Config(strings.Join(append(caddytest.Exactly, s.Audit()), "\n"), next) +
				caddytest.ServiceSite(behind, filepath.Join(t.TempDir(), "ledger.db"), caddytest.FaultOnce("drop")))
			r := s.Request(t.Context(), "FECAESolicitar", caddytest.Invoice(1))
			r.SetBasicAuth("clerk", "password")
			if got := s.Do(r); got.Header.Get("Wsfev1-Outcome") != "recovered" || got.At(t, "/FeCabResp/Resultado") != `"A"` {
				t.Errorf("%v %s", got.Header, got.Body)
			}
			if other.Hits.Load() != 0 {
				t.Errorf("another service was asked %d times", other.Hits.Load())
			}
		})
	}
}
