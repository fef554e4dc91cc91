package gateway_test

import (
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestAnApprovedOneIsAnsweredWhileAnotherIsOpen: its answer is in the trail, whatever becomes of the other one of its
// series, and whether or not the service answers.
func TestAnApprovedOneIsAnsweredWhileAnotherIsOpen(t *testing.T) {
	upstream := newLosing(t)
	upstream.answers = true
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), append([]string{"breaker 2 rest 1h"}, caddytest.Exactly...)...)
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Header.Get("Wsfev1-Outcome") != "approved" {
		t.Fatalf("%d %v %s", got.Status, got.Header, got.Body)
	}
	upstream.set(func() { upstream.answers, upstream.silent = false, true })
	if got := s.Post("FECAESolicitar", caddytest.Invoice(2)); got.Header.Get("Wsfev1-Outcome") != "unknown" {
		t.Fatalf("%d %v %s", got.Status, got.Header, got.Body)
	}
	for _, when := range []string{"at once", "in the outage"} {
		if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Header.Get("Wsfev1-Outcome") != "replayed" {
			t.Errorf("%s: %d %v %s", when, got.Status, got.Header, got.Body)
		}
		if got := s.Post("FECAESolicitar", caddytest.Invoice(3)); got.Status != 503 {
			t.Errorf("%s, the next number: %d %v %s", when, got.Status, got.Header, got.Body)
		}
	}
	if upstream.timesIssued("1") != 1 || upstream.timesIssued("3") != 0 {
		t.Errorf("issued: %v", upstream.issued)
	}
}
