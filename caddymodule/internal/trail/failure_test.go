package trail_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/audittest"
)

func refuseSettings(refused bool) {
	caddytest.Disk.Lock()
	defer caddytest.Disk.Unlock()
	caddytest.Disk.NoSettings = refused
}

// failAt makes the n-th commit from now on fail, counted from 1, none if fault is 0.
func failAt(n int, fault audittest.Fault) {
	caddytest.Disk.Lock()
	defer caddytest.Disk.Unlock()
	caddytest.Disk.Faulty = nil
	if fault != 0 {
		caddytest.Disk.Faulty = audittest.NewFaulty(caddytest.Disk.Memory, map[int]audittest.Fault{n: fault})
	}
}

// TestWithoutATrailNothingPasses: no intent, no forward; no record, no answer.
func TestWithoutATrailNothingPasses(t *testing.T) {
	upstream := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
	s := caddytest.StartFailing(t, caddytest.ProxyTo(upstream.URL))
	caddytest.BreakDisk(true)
	for _, request := range []struct{ operation, body string }{
		{"FECAESolicitar", caddytest.Invoice(1)},
		{"FECompTotXRequest", "{" + caddytest.AuthText + "}"},
		{"FENada", "{}"},
	} {
		got := s.Post(request.operation, request.body)
		if codes := got.Codes(t); got.Status != 503 || len(codes) != 1 || codes[0] != "audit.unavailable" {
			t.Errorf("%s: %d %v", request.operation, got.Status, codes)
		}
		if got.Header.Get("Retry-After") == "" || got.Header.Get("Wsfev1-Record") != "" {
			t.Errorf("%s: header %v", request.operation, got.Header)
		}
		if sent := strings.Contains(string(got.Body), "no se envió"); sent == (request.operation == "FECompTotXRequest") {
			t.Errorf("%s says the wrong thing of what was sent: %s", request.operation, got.Body)
		}
		if strings.Contains(string(got.Body), "space left") {
			t.Errorf("%s: the inner error is outside: %s", request.operation, got.Body)
		}
	}
	if n := upstream.Hits.Load(); n > 1 {
		t.Errorf("%d requests went upstream; only the query may have", n)
	}
	caddytest.BreakDisk(false)
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != 200 {
		t.Errorf("after the disk came back: %d %s", got.Status, got.Body)
	}
	if intents, outcomes := caddytest.Kinds(caddytest.Kept(t)); outcomes != 1 || intents != 1 {
		t.Errorf("%d intents and %d outcomes, want one of each", intents, outcomes)
	}
}

// TestAuthorisationIsNotLostWithTheDisk: the service has answered, the disk fails:
// the client gets its CAE, nothing else is issued until the record is written.
func TestAuthorisationIsNotLostWithTheDisk(t *testing.T) {
	upstream, arrived, release := caddytest.Holding(t)
	s := caddytest.StartFailing(t, caddytest.ProxyTo(upstream.URL))
	done := caddytest.HeldRequest(t, s, arrived)
	caddytest.BreakDisk(true)
	release()
	got := <-done
	if got.Status != 200 || string(got.Body) != caddytest.Approval {
		t.Fatalf("the client lost its CAE: %d %s", got.Status, got.Body)
	}
	if got.Header.Get("Wsfev1-Record") != "" {
		t.Error("the answer names a record that is not there")
	}
	if value := s.Metric("wsfev1_audit_pending_outcomes"); value != "1" {
		t.Errorf("pending outcomes: %s", value)
	}
	if next := s.Post("FECAESolicitar", caddytest.Invoice(2)); next.Status != 503 {
		t.Errorf("issued although an outcome is owed: %d", next.Status)
	}
	caddytest.BreakDisk(false)
	if next := s.Post("FECAESolicitar", caddytest.Invoice(2)); next.Status != 200 {
		t.Errorf("after the disk came back: %d %s", next.Status, next.Body)
	}
	intents, outcomes := caddytest.Kinds(caddytest.Kept(t))
	if intents != 2 || outcomes != 2 {
		t.Errorf("%d intents and %d outcomes, want two of each", intents, outcomes)
	}
	if value := s.Metric("wsfev1_audit_pending_outcomes"); value != "0" {
		t.Errorf("pending outcomes: %s", value)
	}
}
