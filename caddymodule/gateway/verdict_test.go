package gateway_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestAnswerAboutSomethingElseIsNoApproval: what does not speak of the invoices
// that were sent is passed on, and counted as no answer of the operation.
func TestAnswerAboutSomethingElseIsNoApproval(t *testing.T) {
	for _, answer := range []struct{ name, operation, request, body, outcome, finding string }{
		{"right", "FECAESolicitar", caddytest.Invoice(1), caddytest.Approval, "approved", ""},
		{"another number", "FECAESolicitar", caddytest.Invoice(2), caddytest.Approval, "upstream_error", "/FeDetResp/FECAEDetResponse/0/CbteDesde"},
		{"no detail", "FECAESolicitar", caddytest.Invoice(1), `{"FeCabResp":{"Resultado":"A"}}`, "upstream_error", "/FeDetResp/FECAEDetResponse"},
		{"no verdict", "FECAESolicitar", caddytest.Invoice(1), `{"FeCabResp":{"PtoVta":1}}`, "upstream_error", "/FeCabResp/Resultado"},
		{"unknown members only", "FECAESolicitar", caddytest.Invoice(1), `{"hello":1}`, "upstream_error", "/hello"},
		{"empty object", "FECAESolicitar", caddytest.Invoice(1), `{}`, "upstream_error", ""},
		{"rejected with Errors alone", "FECAESolicitar", caddytest.Invoice(1), `{"Errors":{"Err":[{"Code":600,"Msg":"x"}]}}`, "rejected", ""},
		{"the service failed", "FECAESolicitar", caddytest.Invoice(1), `{"Errors":{"Err":[{"Code":501,"Msg":"x"}]}}`, "upstream_error", ""},
		{"query without data", "FECompTotXRequest", "{" + caddytest.AuthText + "}", `{}`, "upstream_error", ""},
		{"query with data", "FECompTotXRequest", "{" + caddytest.AuthText + "}", `{"RegXReq":250}`, "answered", ""},
	} {
		t.Run(answer.name, func(t *testing.T) {
			s := caddytest.Start(t, caddytest.ProxyTo(caddytest.NewStub(t, caddytest.Answering(200, answer.body)).URL))
			if got := s.Post(answer.operation, answer.request); string(got.Body) != answer.body {
				t.Errorf("the client got %s", got.Body)
			}
			record := s.Last()
			if string(record.Outcome) != answer.outcome || record.Certainty != audit.Answered {
				t.Errorf("recorded %s, %s; want %s", record.Outcome, record.Certainty, answer.outcome)
			}
			found := ""
			if len(record.Findings) > 0 {
				found = record.Findings[0].Pointer
			}
			if found != answer.finding {
				t.Errorf("finding at %q, want %q", found, answer.finding)
			}
		})
	}
}

// TestIntentAloneIsUncertain: an intent that is found without an outcome after
// a crash does not say that nothing was sent.
func TestIntentAloneIsUncertain(t *testing.T) {
	upstream, arrived, release := caddytest.Holding(t)
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL))
	done := caddytest.HeldRequest(t, s, arrived)
	if intent := s.Last(); intent.Kind != audit.KindIntent || intent.Certainty != audit.Unknown {
		t.Errorf("the intent is %s, %s", intent.Kind, intent.Certainty)
	}
	out, _, err := caddytest.AuditCommand("search", "--store", "sqlite:"+s.Store, "--outcome", "open")
	if err != nil || !strings.Contains(out, "FECAESolicitar") || !strings.Contains(out, "unknown") {
		t.Errorf("search --outcome open: %v\n%s", err, out)
	}
	release()
	<-done
	out, _, _ = caddytest.AuditCommand("search", "--store", "sqlite:"+s.Store, "--outcome", "open")
	if strings.Contains(out, "FECAESolicitar") {
		t.Errorf("an intent with an outcome is open:\n%s", out)
	}
}

// TestPlaceholderOfTheOperationIsThereBeforeForwarding: reverse_proxy may use it.
func TestPlaceholderOfTheOperationIsThereBeforeForwarding(t *testing.T) {
	upstream := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL, "header_up X-Operation {http.wsfev1.operation}"))
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	if _, header := upstream.Last(); header.Get("X-Operation") != "FECAESolicitar" {
		t.Errorf("the upstream got %q", header.Get("X-Operation"))
	}
}
