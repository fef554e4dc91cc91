package caddymodule_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
)

// TestHeadersOfAGatewayBehindAreNotGiven: its record is one of another trail, and may have the
// same address as one of this.
func TestHeadersOfAGatewayBehindAreNotGiven(t *testing.T) {
	upstream := newStub(t, func(w http.ResponseWriter, r *http.Request) {
		for name, value := range map[string]string{"Record": "inner/7", "Outcome": "inner", "Unrecorded": "pending; exchange=inner"} {
			w.Header().Set("Wsfev1-"+name, value)
		}
		answering(200, approval)(w, r)
	})
	s := start(t, proxyTo(upstream.URL), "replay on")
	for _, outcome := range []string{"approved", "replayed"} {
		got := s.post("FECAESolicitar", invoice(1)).header
		last := s.last()
		if want := fmt.Sprintf("%s/%d", last.Log, last.Index); got.Get("Wsfev1-Record") != want || got.Get("Wsfev1-Outcome") != outcome ||
			got.Get("Wsfev1-Unrecorded") != "" {
			t.Errorf("%v, want the record %s and the outcome %s", got, want, outcome)
		}
	}
}

// TestTwoGatewaysOnOneWaySayThatOneIsTooMany: of the same trail, the second would wait for the
// first, which waits for it.
func TestTwoGatewaysOnOneWaySayThatOneIsTooMany(t *testing.T) {
	upstream := newStub(t, answering(200, approval))
	s := start(t, "respond ok")
	s.load(s.config(s.audit(), "handle {\n wsfev1 {\n "+s.audit()+"\n }\n "+proxyTo(upstream.URL)+"\n }"))
	for _, operation := range []string{"FECAESolicitar", "FEDummy"} {
		body := map[string]string{"FECAESolicitar": invoice(1), "FEDummy": "{}"}[operation]
		got := s.post(operation, body)
		if got.status != http.StatusBadGateway || got.codes(t)[0] != "upstream.not_sent" || upstream.hits.Load() != 0 {
			t.Errorf("%s: %d %s, %d requests sent", operation, got.status, got.body, upstream.hits.Load())
		}
		if r := s.last(); r.Certainty != audit.NotSent || !strings.Contains(r.Detail, "another wsfev1 with the same trail") {
			t.Errorf("%s: recorded %s, %s", operation, r.Certainty, r.Detail)
		}
	}
}
