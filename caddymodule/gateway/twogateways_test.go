package gateway_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestHeadersOfAGatewayBehindAreNotGiven: its record is one of another trail, and may have the
// same address as one of this.
func TestHeadersOfAGatewayBehindAreNotGiven(t *testing.T) {
	upstream := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		for name, value := range map[string]string{"Record": "inner/7", "Outcome": "inner", "Unrecorded": "pending; exchange=inner"} {
			w.Header().Set("Wsfev1-"+name, value)
		}
		caddytest.Answering(200, caddytest.Approval)(w, r)
	})
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), "replay on")
	for _, outcome := range []string{"approved", "replayed"} {
		got := s.Post("FECAESolicitar", caddytest.Invoice(1)).Header
		last := s.Last()
		if want := fmt.Sprintf("%s/%d", last.Log, last.Index); got.Get("Wsfev1-Record") != want || got.Get("Wsfev1-Outcome") != outcome ||
			got.Get("Wsfev1-Unrecorded") != "" {
			t.Errorf("%v, want the record %s and the outcome %s", got, want, outcome)
		}
	}
}

// TestTwoGatewaysOnOneWaySayThatOneIsTooMany: of the same trail, the second would wait for the
// first, which waits for it. Where the second gets some paths alone, a start cannot see it.
func TestTwoGatewaysOnOneWaySayThatOneIsTooMany(t *testing.T) {
	upstream := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
	s := caddytest.NewSite(t)
	s.Load(s.Config(s.Audit(), "handle /api/* {\n wsfev1 {\n "+s.Audit()+"\n }\n "+caddytest.ProxyTo(upstream.URL)+"\n }"))
	for _, operation := range []string{"FECAESolicitar", "FEDummy"} {
		body := map[string]string{"FECAESolicitar": caddytest.Invoice(1), "FEDummy": "{}"}[operation]
		got := s.Post(operation, body)
		if got.Status != http.StatusBadGateway || got.Codes(t)[0] != "upstream.not_sent" || upstream.Hits.Load() != 0 {
			t.Errorf("%s: %d %s, %d requests sent", operation, got.Status, got.Body, upstream.Hits.Load())
		}
		if r := s.Last(); r.Certainty != audit.NotSent || !strings.Contains(r.Detail, "another wsfev1 with the same trail") {
			t.Errorf("%s: recorded %s, %s", operation, r.Certainty, r.Detail)
		}
	}
}
