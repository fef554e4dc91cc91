package caddymodule_test

import (
	"fmt"
	"net/http"
	"testing"
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
