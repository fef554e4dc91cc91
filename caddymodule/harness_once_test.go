package caddymodule_test

import (
	"fmt"
	"testing"

	"github.com/fielato/fielato/audit"
)

const onceSeed = 20261120

// serviceSite is the Caddyfile of a built-in service alone, with its ledger in a file.
func serviceSite(address, ledger, faults string) string {
	return serviceOn(address, "sqlite "+ledger, faults)
}

// serviceOn is serviceSite with any ledger.
func serviceOn(address, ledger, faults string) string {
	return fmt.Sprintf("http://%s {\n bind %s\n wsfev1_backend {\n ledger %s\n fault_seed %d\n %s\n }\n}\n", address, loopback, ledger, onceSeed, faults)
}

const quietly = "{\n admin off\n persist_config off\n log {\n output discard\n }\n}\n"

// exactly is what a gateway is told that makes sure of its invoices, in little time.
var exactly = []string{"recover within 400ms", "replay on", "upstream_timeout 5s"}

// briefly is exactly for an upstream of which nothing comes.
var briefly = []string{"recover within 400ms", "replay on", "upstream_timeout 250ms"}

// kindsOf returns the outcomes and settlements of the operations that change something,
// each as "operation outcome certainty".
func kindsOf(records []*audit.Record) (told []string) {
	for _, r := range records {
		if r.Kind == audit.KindOutcome || r.Kind == audit.KindSettlement || r.Decision == "replay" {
			told = append(told, fmt.Sprintf("%s %s %s", r.Operation, r.Outcome, r.Certainty))
		}
	}
	return told
}

// wantTruth holds what a client was told of invoice(1) against what the service has.
func wantTruth(t *testing.T, s *site, got response, issued bool) {
	t.Helper()
	found := s.post("FECompConsultar", "{"+authText+`,"FeCompConsReq":{"CbteTipo":6,"CbteNro":1,"PtoVta":1}}`)
	if !issued {
		if codes := got.codes(t); got.status != 502 || len(codes) != 1 || codes[0] != "once.not_issued" || firstError(t, found) != "602" {
			t.Errorf("got %d %v, and the service has %s", got.status, codes, found.body)
		}
		if again := s.post("FECAESolicitar", invoice(1)); again.at(t, "/FeCabResp/Resultado") != `"A"` {
			t.Errorf("it was safe to send again: %d %s", again.status, again.body)
		}
		return
	}
	code := got.at(t, "/FeDetResp/FECAEDetResponse/0/CAE")
	if got.status != 200 || got.at(t, "/FeCabResp/Resultado") != `"A"` || len(code) != 16 || code != found.at(t, "/ResultGet/CodAutorizacion") {
		t.Errorf("got %d %s, and the service has %s", got.status, got.body, found.body)
	}
	// The record is evidence of its own: the same again is answered from there, byte for byte.
	again := s.post("FECAESolicitar", invoice(1))
	if again.header.Get("Wsfev1-Outcome") != "replayed" || string(again.body) != string(got.body) {
		t.Errorf("again: %v %s, want %s", again.header, again.body, got.body)
	}
}
