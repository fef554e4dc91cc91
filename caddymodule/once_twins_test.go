package caddymodule_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fielato/fielato/audit"
)

// TestTwinsCostOneCall: two clients with the same request at the same instant, a thousand
// times, on several series.
func TestTwinsCostOneCall(t *testing.T) {
	u := newIssuing(t)
	s := start(t, proxyTo(u.URL), exactly...)
	const pairs, lanes = 1000, 8
	var group sync.WaitGroup
	for lane := range lanes {
		group.Go(func() {
			for i := lane + 1; i <= pairs; i += lanes {
				// A series of its own for each lane: the upstream approves any number.
				body := strings.Replace(invoice(i), "20111111112", issuerOf(2*lane).String(), 1)
				answers := make([]response, 2)
				var pair sync.WaitGroup
				for twin := range answers {
					pair.Go(func() { answers[twin], _ = try(s.request(t.Context(), "FECAESolicitar", body)) })
				}
				pair.Wait()
				outcomes := []string{answers[0].header.Get("Wsfev1-Outcome"), answers[1].header.Get("Wsfev1-Outcome")}
				slices.Sort(outcomes)
				if string(answers[0].body) != string(answers[1].body) || !slices.Equal(outcomes, []string{"approved", "replayed"}) {
					t.Errorf("pair %d: %v, %s and %s", i, outcomes, answers[0].body, answers[1].body)
				}
			}
		})
	}
	group.Wait()
	for i := range pairs {
		if n := u.timesAsked(i + 1); n != 1 {
			t.Errorf("invoice %d: %d calls", i+1, n)
		}
	}
}

// TestReloadInTheMiddleOfARecovery: the client still gets its answer, and the trail is whole.
func TestReloadInTheMiddleOfARecovery(t *testing.T) {
	behind := freeAddress(t)
	s := start(t, "respond 503")
	options := []string{"recover within 5s", "replay on", "upstream_timeout 5s", s.audit()}
	// Both questions of the first rounds are late: the recovery lasts while the configuration changes.
	service := serviceSite(behind, t.TempDir()+"/ledger.db",
		"fault drop {\n operation FECAESolicitar\n count 1\n}\nfault error_501 {\n operation FECompConsultar\n count 3\n}")
	config := func(more string) string {
		return s.config(strings.Join(append(options, more), "\n"), proxyTo(behind)) + service
	}
	s.load(config(""))
	const asked = `wsfev1_upstream_duration_seconds_count{operation="FECompConsultar"}`
	before := s.metric(asked)
	done := make(chan response, 1)
	go func() { done <- s.post("FECAESolicitar", invoice(1)) }()
	eventually(t, "a question", func() bool { return s.metric(asked) != before })
	s.load(config("max_body 1MiB"))
	if got := <-done; got.status != 200 || got.header.Get("Wsfev1-Outcome") != "recovered" {
		t.Errorf("got %d %v %s", got.status, got.header, got.body)
	}
	if got := s.post("FECAESolicitar", invoice(2)); got.at(t, "/FeCabResp/Resultado") != `"A"` {
		t.Errorf("the next: %d %s", got.status, got.body)
	}
	if told := kindsOf(s.records()); !slices.Contains(told, "FECAESolicitar recovered answered") {
		t.Errorf("recorded %q", told)
	}
}

// TestSettlementIsRedacted: what an operator does not want to be kept is hidden in what is
// settled, as in all else.
func TestSettlementIsRedacted(t *testing.T) {
	behind, ledger := freeAddress(t), t.TempDir()+"/ledger.db"
	s := start(t, "respond 503", trailOption+"redact /FeCAEReq/FeDetReq/FECAEDetRequest/*/DocNro /FeDetResp/FECAEDetResponse/*/DocNro /ResultGet/DocNro")
	options := append(slices.Clone(exactly), s.withAudit(trailOption+"redact /FeCAEReq/FeDetReq/FECAEDetRequest/*/DocNro /FeDetResp/FECAEDetResponse/*/DocNro /ResultGet/DocNro"))
	load := func(faults string) {
		s.load(s.config(strings.Join(options, "\n"), proxyTo(behind)) + serviceSite(behind, ledger, faults))
	}
	load("fault drop {\n operation FECAESolicitar\n count 1\n}\nfault error_501 {\n operation FECompConsultar\n}")
	const document = "30111222"
	body := strings.Replace(invoice(1), `"DocTipo":99,"DocNro":0`, `"DocTipo":96,"DocNro":`+document, 1)
	if got := s.post("FECAESolicitar", body); got.status != 504 {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	load("")
	got := s.post("FECAESolicitar", body)
	if got.header.Get("Wsfev1-Outcome") != "replayed" || got.at(t, "/FeCabResp/Resultado") != `"A"` {
		t.Errorf("again: %d %v %s", got.status, got.header, got.body)
	}
	settled := 0
	for _, r := range s.records() {
		if r.Kind == audit.KindSettlement {
			settled++
		}
		if text := fmt.Sprintf("%s %s %+v %s", r.Request, r.Answer, r.Findings, r.Detail); strings.Contains(text, document) {
			t.Errorf("record %d, a %s of %s, holds the document: %s", r.Index, r.Kind, r.Operation, text)
		}
	}
	if settled != 1 {
		t.Errorf("%d settlements", settled)
	}
}
