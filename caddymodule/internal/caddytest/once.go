package caddytest

import (
	"fmt"
	"testing"

	"github.com/fielato/fielato/audit"
)

// OnceSeed seeds the random numbers in the tests of exactly once.
const OnceSeed = 20261120

// ServiceSite is the Caddyfile of a built-in service alone, with its ledger in a file.
func ServiceSite(address, ledger, faults string) string {
	return ServiceOn(address, "sqlite "+ledger, faults)
}

// ServiceOn is ServiceSite with any ledger.
func ServiceOn(address, ledger, faults string) string {
	return fmt.Sprintf("http://%s {\n bind %s\n wsfev1_backend {\n ledger %s\n fault_seed %d\n %s\n }\n}\n", address, Loopback, ledger, OnceSeed, faults)
}

// Quietly is the head of a Caddyfile without a log.
const Quietly = "{\n admin off\n persist_config off\n log {\n output discard\n }\n}\n"

// Exactly is what a gateway is told that makes sure of its invoices, in little time.
var Exactly = []string{"recover within 400ms", "replay on", "upstream_timeout 5s"}

// Patiently is Exactly where the service answers each question: on a busy machine 400 ms are not enough.
var Patiently = []string{"recover within 1200ms", "replay on", "upstream_timeout 5s"}

// Briefly is exactly for an upstream of which nothing comes.
var Briefly = []string{"recover within 400ms", "replay on", "upstream_timeout 250ms"}

// KindsOf returns the outcomes and settlements of the operations that change something,
// each as "operation outcome certainty".
func KindsOf(records []*audit.Record) (told []string) {
	for _, r := range records {
		if r.Kind == audit.KindOutcome || r.Kind == audit.KindSettlement || r.Decision == "replay" {
			told = append(told, fmt.Sprintf("%s %s %s", r.Operation, r.Outcome, r.Certainty))
		}
	}
	return told
}

// WantTruth compares the answer that a client got about invoice(1) with the service's own record of it.
func WantTruth(t *testing.T, s *Site, got Response, issued bool) {
	t.Helper()
	found := s.Post("FECompConsultar", "{"+AuthText+`,"FeCompConsReq":{"CbteTipo":6,"CbteNro":1,"PtoVta":1}}`)
	if !issued {
		if codes := got.Codes(t); got.Status != 502 || len(codes) != 1 || codes[0] != "once.not_issued" || FirstError(t, found) != "602" {
			t.Errorf("got %d %v, and the service has %s", got.Status, codes, found.Body)
		}
		if again := s.Post("FECAESolicitar", Invoice(1)); again.At(t, "/FeCabResp/Resultado") != `"A"` {
			t.Errorf("it was safe to send again: %d %s", again.Status, again.Body)
		}
		return
	}
	code := got.At(t, "/FeDetResp/FECAEDetResponse/0/CAE")
	if got.Status != 200 || got.At(t, "/FeCabResp/Resultado") != `"A"` || len(code) != 16 || code != found.At(t, "/ResultGet/CodAutorizacion") {
		t.Errorf("got %d %s, and the service has %s", got.Status, got.Body, found.Body)
	}
	// The record is evidence of its own: the same again is answered from there, byte for byte.
	again := s.Post("FECAESolicitar", Invoice(1))
	if again.Header.Get("Wsfev1-Outcome") != "replayed" || string(again.Body) != string(got.Body) {
		t.Errorf("again: %v %s, want %s", again.Header, again.Body, got.Body)
	}
}
