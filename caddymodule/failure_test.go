package caddymodule_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/audit/audittest"
)

func refuseSettings(refused bool) {
	disk.Lock()
	defer disk.Unlock()
	disk.noSettings = refused
}

// failAt makes the n-th commit from now on fail, counted from 1, none if fault is 0.
func failAt(n int, fault audittest.Fault) {
	disk.Lock()
	defer disk.Unlock()
	disk.faulty = nil
	if fault != 0 {
		disk.faulty = audittest.NewFaulty(disk.memory, map[int]audittest.Fault{n: fault})
	}
}

// TestWithoutATrailNothingPasses: no intent, no forward; no record, no answer.
func TestWithoutATrailNothingPasses(t *testing.T) {
	upstream := newStub(t, answering(200, approval))
	s := startFailing(t, proxyTo(upstream.URL))
	breakDisk(true)
	for _, request := range []struct{ operation, body string }{
		{"FECAESolicitar", invoice(1)},
		{"FECompTotXRequest", "{" + authText + "}"},
		{"FENada", "{}"},
	} {
		got := s.post(request.operation, request.body)
		if codes := got.codes(t); got.status != 503 || len(codes) != 1 || codes[0] != "audit.unavailable" {
			t.Errorf("%s: %d %v", request.operation, got.status, codes)
		}
		if got.header.Get("Retry-After") == "" || got.header.Get("Wsfev1-Record") != "" {
			t.Errorf("%s: header %v", request.operation, got.header)
		}
		if sent := strings.Contains(string(got.body), "no se envió"); sent == (request.operation == "FECompTotXRequest") {
			t.Errorf("%s says the wrong thing of what was sent: %s", request.operation, got.body)
		}
		if strings.Contains(string(got.body), "space left") {
			t.Errorf("%s: the inner error is outside: %s", request.operation, got.body)
		}
	}
	if n := upstream.hits.Load(); n > 1 {
		t.Errorf("%d requests went upstream; only the query may have", n)
	}
	breakDisk(false)
	if got := s.post("FECAESolicitar", invoice(1)); got.status != 200 {
		t.Errorf("after the disk came back: %d %s", got.status, got.body)
	}
	if intents, outcomes := kinds(kept(t)); outcomes != 1 || intents != 1 {
		t.Errorf("%d intents and %d outcomes, want one of each", intents, outcomes)
	}
}

// TestAuthorisationIsNotLostWithTheDisk: the service has answered, the disk fails:
// the client gets its CAE, nothing else is issued until the record is written.
func TestAuthorisationIsNotLostWithTheDisk(t *testing.T) {
	upstream, arrived, release := holding(t)
	s := startFailing(t, proxyTo(upstream.URL))
	done := heldRequest(t, s, arrived)
	breakDisk(true)
	release()
	got := <-done
	if got.status != 200 || string(got.body) != approval {
		t.Fatalf("the client lost its CAE: %d %s", got.status, got.body)
	}
	if got.header.Get("Wsfev1-Record") != "" {
		t.Error("the answer names a record that is not there")
	}
	if value := s.metric("wsfev1_audit_pending_outcomes"); value != "1" {
		t.Errorf("pending outcomes: %s", value)
	}
	if next := s.post("FECAESolicitar", invoice(2)); next.status != 503 {
		t.Errorf("issued although an outcome is owed: %d", next.status)
	}
	breakDisk(false)
	if next := s.post("FECAESolicitar", invoice(2)); next.status != 200 {
		t.Errorf("after the disk came back: %d %s", next.status, next.body)
	}
	intents, outcomes := kinds(kept(t))
	if intents != 2 || outcomes != 2 {
		t.Errorf("%d intents and %d outcomes, want two of each", intents, outcomes)
	}
	if value := s.metric("wsfev1_audit_pending_outcomes"); value != "0" {
		t.Errorf("pending outcomes: %s", value)
	}
}
