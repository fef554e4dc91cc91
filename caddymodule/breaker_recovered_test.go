package caddymodule_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
)

// TestRecoveredInvoicesAreNoOutage: what was asked about and is there shows that changes
// arrive. The failures are counted as such.
func TestRecoveredInvoicesAreNoOutage(t *testing.T) {
	upstream := newLosing(t)
	s := start(t, proxyTo(upstream.URL), append(slices.Clone(exactly), "breaker 3 rest 1h")...)
	const lost = `wsfev1_failures_total{class="network"}`
	before := s.metric(lost)
	const count = 7
	for number := 1; number <= count; number++ {
		if got := s.post("FECAESolicitar", invoice(number)); got.status != 200 || got.header.Get("Wsfev1-Outcome") != "recovered" {
			t.Fatalf("%d: %d %s", number, got.status, got.body)
		}
	}
	if n := len(outagesIn(s.records())); n != 0 {
		t.Errorf("%d records of outages", n)
	}
	if after := s.metric(lost); after != plus(t, before, count) {
		t.Errorf("%s went from %s to %s", lost, before, after)
	}
	// Those of which it has nothing are failures.
	upstream.set(func() { upstream.idle = true })
	for range 3 {
		if got := s.post("FECAESolicitar", invoice(count+1)); got.header.Get("Wsfev1-Outcome") != "not_issued" {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
	if got := s.post("FECAESolicitar", invoice(count+1)); got.status != 503 || got.codes(t)[0] != "service.outage" {
		t.Errorf("%d %s", got.status, got.body)
	}
	outages := outagesIn(s.records())
	if len(outages) != 1 {
		t.Fatalf("%d records of outages", len(outages))
	}
	e := evidenceOf(t, outages[0])
	for _, r := range s.records() {
		if fmt.Sprintf("%s/%d", r.Log, r.Index) == e.First &&
			(r.Kind != audit.KindIntent || r.Vouchers[0].CbteDesde != count+1 || outages[0].Time.Before(r.Time)) {
			t.Errorf("it begins at %s with a record %s of %+v", outages[0].Time, r.Kind, r.Vouchers)
		}
	}
	if e.First == "" || e.Failures["network"] != 3 {
		t.Errorf("%+v", e)
	}
}

// TestARecoveredInvoiceEndsAnOutageOfChanges: the one that was sent to look.
func TestARecoveredInvoiceEndsAnOutageOfChanges(t *testing.T) {
	upstream := newLosing(t)
	upstream.idle = true
	s := start(t, proxyTo(upstream.URL), append(slices.Clone(exactly), "breaker 2 rest 1ms")...)
	for range 2 {
		if got := s.post("FECAESolicitar", invoice(1)); got.header.Get("Wsfev1-Outcome") != "not_issued" {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
	if out, _ := s.outages("--format", "json"); !strings.Contains(out, `"scope":"changes"`) || !strings.Contains(out, `"ongoing":true`) {
		t.Errorf("outages: %s", out)
	}
	upstream.set(func() { upstream.idle = false })
	var got response
	eventually(t, "an invoice", func() bool { got = s.post("FECAESolicitar", invoice(1)); return got.status == 200 })
	if got.header.Get("Wsfev1-Outcome") != "recovered" {
		t.Errorf("%d %s", got.status, got.body)
	}
	outages := outagesIn(s.records())
	if n := len(outages); n == 0 || outages[n-1].Outcome != "outage_ended" {
		t.Fatalf("%d records of outages", n)
	}
	if e := evidenceOf(t, outages[len(outages)-1]); e.Answer == "" {
		t.Errorf("it ends with %+v", e)
	}
	if out, _ := s.outages("--format", "json"); strings.Contains(out, `"ongoing":true`) {
		t.Errorf("outages: %s", out)
	}
}

// TestRoomsBoundAServiceThatLosesEachAnswer: the breaker does not, as it issues.
func TestRoomsBoundAServiceThatLosesEachAnswer(t *testing.T) {
	upstream := newLosing(t)
	upstream.held = make(chan struct{})
	s := start(t, proxyTo(upstream.URL), append(slices.Clone(exactly), "breaker 1", "in_flight issuing 1 wait 1ms")...)
	first := make(chan response, 1)
	go func() { first <- s.post("FECAESolicitar", invoice(1)) }()
	eventually(t, "the first is at the service", func() bool { return upstream.hits.Load() > 0 })
	elsewhere := strings.Replace(invoice(1), `"PtoVta":1`, `"PtoVta":2`, 1)
	if got := s.post("FECAESolicitar", elsewhere); got.status != 503 || got.codes(t)[0] != "gateway.in_flight" {
		t.Errorf("%d %s", got.status, got.body)
	}
	close(upstream.held)
	if got := <-first; got.header.Get("Wsfev1-Outcome") != "recovered" {
		t.Errorf("%d %s", got.status, got.body)
	}
}
