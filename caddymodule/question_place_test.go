package caddymodule_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestQuestionsGoWhereTheRequestWent: what the outer handlers have found out about a request
// says which service it is for, and the service that is asked must be the same one.
func TestQuestionsGoWhereTheRequestWent(t *testing.T) {
	user := fmt.Sprintf("basic_auth {\n clerk %s\n }\n", hashOfPassword)
	for name, next := range map[string]string{
		"by user": user + "@clerk vars {http.auth.user.id} clerk\n handle @clerk {\n reverse_proxy SERVICE\n }\n handle {\n reverse_proxy OTHER\n }",
		"by map":  user + "map {http.auth.user.id} {service} {\n clerk SERVICE\n default OTHER\n }\n reverse_proxy {service}",
		"by vars": user + "vars service SERVICE\n reverse_proxy {vars.service}",
	} {
		t.Run(name, func(t *testing.T) {
			other := newStub(t, answering(200, `{"Errors":{"Err":[{"Code":602,"Msg":"No existen datos"}]}}`))
			s := start(t, "respond ok")
			behind := freeAddress(t)
			next := strings.NewReplacer("SERVICE", behind, "OTHER", strings.TrimPrefix(other.URL, "http://")).Replace(next)
			s.load(s.config(strings.Join(append(exactly, s.audit()), "\n"), next) +
				serviceSite(behind, filepath.Join(t.TempDir(), "ledger.db"), faultOnce("drop")))
			r := s.request(t.Context(), "FECAESolicitar", invoice(1))
			r.SetBasicAuth("clerk", "password")
			if got := s.do(r); got.header.Get("Wsfev1-Outcome") != "recovered" || got.at(t, "/FeCabResp/Resultado") != `"A"` {
				t.Errorf("%v %s", got.header, got.body)
			}
			if other.hits.Load() != 0 {
				t.Errorf("another service was asked %d times", other.hits.Load())
			}
		})
	}
}
