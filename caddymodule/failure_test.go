package caddymodule_test

import (
	"strings"
	"testing"

	"github.com/fielato/fielato/audit/audittest"
)

func refuseSettings(refused bool) {
	Disk.Lock()
	defer Disk.Unlock()
	Disk.NoSettings = refused
}

// failAt makes the n-th commit from now on fail, counted from 1, none if fault is 0.
func failAt(n int, fault audittest.Fault) {
	Disk.Lock()
	defer Disk.Unlock()
	Disk.Faulty = nil
	if fault != 0 {
		Disk.Faulty = audittest.NewFaulty(Disk.Memory, map[int]audittest.Fault{n: fault})
	}
}

// TestWithoutATrailNothingPasses: no intent, no forward; no record, no answer.
func TestWithoutATrailNothingPasses(t *testing.T) {
	upstream := NewStub(t, Answering(200, Approval))
	s := StartFailing(t, ProxyTo(upstream.URL))
	BreakDisk(true)
	for _, request := range []struct{ operation, body string }{
		{"FECAESolicitar", Invoice(1)},
		{"FECompTotXRequest", "{" + AuthText + "}"},
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
	BreakDisk(false)
	if got := s.Post("FECAESolicitar", Invoice(1)); got.Status != 200 {
		t.Errorf("after the disk came back: %d %s", got.Status, got.Body)
	}
	if intents, outcomes := Kinds(Kept(t)); outcomes != 1 || intents != 1 {
		t.Errorf("%d intents and %d outcomes, want one of each", intents, outcomes)
	}
}

// TestAuthorisationIsNotLostWithTheDisk: the service has answered, the disk fails:
// the client gets its CAE, nothing else is issued until the record is written.
func TestAuthorisationIsNotLostWithTheDisk(t *testing.T) {
	upstream, arrived, release := Holding(t)
	s := StartFailing(t, ProxyTo(upstream.URL))
	done := HeldRequest(t, s, arrived)
	BreakDisk(true)
	release()
	got := <-done
	if got.Status != 200 || string(got.Body) != Approval {
		t.Fatalf("the client lost its CAE: %d %s", got.Status, got.Body)
	}
	if got.Header.Get("Wsfev1-Record") != "" {
		t.Error("the answer names a record that is not there")
	}
	if value := s.Metric("wsfev1_audit_pending_outcomes"); value != "1" {
		t.Errorf("pending outcomes: %s", value)
	}
	if next := s.Post("FECAESolicitar", Invoice(2)); next.Status != 503 {
		t.Errorf("issued although an outcome is owed: %d", next.Status)
	}
	BreakDisk(false)
	if next := s.Post("FECAESolicitar", Invoice(2)); next.Status != 200 {
		t.Errorf("after the disk came back: %d %s", next.Status, next.Body)
	}
	intents, outcomes := Kinds(Kept(t))
	if intents != 2 || outcomes != 2 {
		t.Errorf("%d intents and %d outcomes, want two of each", intents, outcomes)
	}
	if value := s.Metric("wsfev1_audit_pending_outcomes"); value != "0" {
		t.Errorf("pending outcomes: %s", value)
	}
}
