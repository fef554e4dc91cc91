package gateway_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestRecoveredInvoicesAreNoOutage: what was asked about and is there shows that changes
// arrive. The failures are counted as such.
func TestRecoveredInvoicesAreNoOutage(t *testing.T) {
	upstream := newLosing(t)
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), append(slices.Clone(caddytest.Patiently), "breaker 3 rest 1h")...)
	const lost = `wsfev1_failures_total{class="network"}`
	before := s.Metric(lost)
	const count = 7
	for number := 1; number <= count; number++ {
		if got := s.Post("FECAESolicitar", caddytest.Invoice(number)); got.Status != 200 || got.Header.Get("Wsfev1-Outcome") != "recovered" {
			t.Fatalf("%d: %d %s", number, got.Status, got.Body)
		}
	}
	if n := len(outagesIn(s.Records())); n != 0 {
		t.Errorf("%d records of outages", n)
	}
	if after := s.Metric(lost); after != caddytest.Plus(t, before, count) {
		t.Errorf("%s went from %s to %s", lost, before, after)
	}
	// Invoices that the service does not have are failures.
	upstream.set(func() { upstream.idle = true })
	for range 3 {
		if got := s.Post("FECAESolicitar", caddytest.Invoice(count+1)); got.Header.Get("Wsfev1-Outcome") != "not_issued" {
			t.Errorf("%d %s", got.Status, got.Body)
		}
	}
	if got := s.Post("FECAESolicitar", caddytest.Invoice(count+1)); got.Status != 503 || got.Codes(t)[0] != "service.outage" {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	outages := outagesIn(s.Records())
	if len(outages) != 1 {
		t.Fatalf("%d records of outages", len(outages))
	}
	e := evidenceOf(t, outages[0])
	for _, r := range s.Records() {
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
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), append(slices.Clone(caddytest.Patiently), "breaker 2 rest 1ms")...)
	for range 2 {
		if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Header.Get("Wsfev1-Outcome") != "not_issued" {
			t.Errorf("%d %s", got.Status, got.Body)
		}
	}
	if out, _ := s.Outages("--format", "json"); !strings.Contains(out, `"scope":"changes"`) || !strings.Contains(out, `"ongoing":true`) {
		t.Errorf("outages: %s", out)
	}
	upstream.set(func() { upstream.idle = false })
	var got caddytest.Response
	caddytest.Eventually(t, "an invoice", func() bool { got = s.Post("FECAESolicitar", caddytest.Invoice(1)); return got.Status == 200 })
	if got.Header.Get("Wsfev1-Outcome") != "recovered" {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	outages := outagesIn(s.Records())
	if n := len(outages); n == 0 || outages[n-1].Outcome != "outage_ended" {
		t.Fatalf("%d records of outages", n)
	}
	if e := evidenceOf(t, outages[len(outages)-1]); e.Answer == "" {
		t.Errorf("it ends with %+v", e)
	}
	if out, _ := s.Outages("--format", "json"); strings.Contains(out, `"ongoing":true`) {
		t.Errorf("outages: %s", out)
	}
}

// TestRoomsBoundAServiceThatLosesEachAnswer: the breaker does not, as it issues.
func TestRoomsBoundAServiceThatLosesEachAnswer(t *testing.T) {
	upstream := newLosing(t)
	upstream.held = make(chan struct{})
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL), append(slices.Clone(caddytest.Patiently), "breaker 1", "in_flight issuing 1 wait 1ms")...)
	first := make(chan caddytest.Response, 1)
	go func() { first <- s.Post("FECAESolicitar", caddytest.Invoice(1)) }()
	caddytest.Eventually(t, "the first is at the service", func() bool { return upstream.Hits.Load() > 0 })
	elsewhere := strings.Replace(caddytest.Invoice(1), `"PtoVta":1`, `"PtoVta":2`, 1)
	if got := s.Post("FECAESolicitar", elsewhere); got.Status != 503 || got.Codes(t)[0] != "gateway.in_flight" {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	close(upstream.held)
	if got := <-first; got.Header.Get("Wsfev1-Outcome") != "recovered" {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}
