package gateway_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/testrun"
)

// TestTwinsCostOneCall: two clients with the same request at the same instant, 250 times and in the long form a thousand
// times, on several series.
func TestTwinsCostOneCall(t *testing.T) {
	u := caddytest.NewIssuing(t)
	s := caddytest.Start(t, caddytest.ProxyTo(u.URL), caddytest.Exactly...)
	const lanes = 8
	pairs := testrun.Full(t, 250, 1000)
	var group sync.WaitGroup
	for lane := range lanes {
		group.Go(func() {
			for i := lane + 1; i <= pairs; i += lanes {
				// A series of its own for each lane: the upstream approves any number.
				body := strings.Replace(caddytest.Invoice(i), "20111111112", caddytest.IssuerOf(2*lane).String(), 1)
				answers := make([]caddytest.Response, 2)
				var pair sync.WaitGroup
				for twin := range answers {
					pair.Go(func() { answers[twin], _ = caddytest.Try(s.Request(t.Context(), "FECAESolicitar", body)) })
				}
				pair.Wait()
				outcomes := []string{answers[0].Header.Get("Wsfev1-Outcome"), answers[1].Header.Get("Wsfev1-Outcome")}
				slices.Sort(outcomes)
				if string(answers[0].Body) != string(answers[1].Body) || !slices.Equal(outcomes, []string{"approved", "replayed"}) {
					t.Errorf("pair %d: %v, %s and %s", i, outcomes, answers[0].Body, answers[1].Body)
				}
			}
		})
	}
	group.Wait()
	for i := range pairs {
		if n := u.TimesAsked(i + 1); n != 1 {
			t.Errorf("invoice %d: %d calls", i+1, n)
		}
	}
}

// TestReloadInTheMiddleOfARecovery: the client still gets its answer, and the trail is whole.
func TestReloadInTheMiddleOfARecovery(t *testing.T) {
	behind := caddytest.FreeAddress(t)
	s := caddytest.NewSite(t)
	options := []string{"recover within 5s", "replay on", "upstream_timeout 5s", s.Audit()}
	// Both questions of the first rounds are late: the recovery lasts while the configuration changes.
	service := caddytest.ServiceSite(behind, t.TempDir()+"/ledger.db",
		"fault drop {\n operation FECAESolicitar\n count 1\n}\nfault error_501 {\n operation FECompConsultar\n count 3\n}")
	config := func(more string) string {
		return s.Config(strings.Join(append(options, more), "\n"), caddytest.ProxyTo(behind)) + service
	}
	s.Load(config(""))
	const asked = `wsfev1_upstream_duration_seconds_count{operation="FECompConsultar"}`
	before := s.Metric(asked)
	done := make(chan caddytest.Response, 1)
	go func() { done <- s.Post("FECAESolicitar", caddytest.Invoice(1)) }()
	caddytest.Eventually(t, "a question", func() bool { return s.Metric(asked) != before })
	s.Load(config("max_body 1MiB"))
	if got := <-done; got.Status != 200 || got.Header.Get("Wsfev1-Outcome") != "recovered" {
		t.Errorf("got %d %v %s", got.Status, got.Header, got.Body)
	}
	if got := s.Post("FECAESolicitar", caddytest.Invoice(2)); got.At(t, "/FeCabResp/Resultado") != `"A"` {
		t.Errorf("the next: %d %s", got.Status, got.Body)
	}
	if told := caddytest.KindsOf(s.Records()); !slices.Contains(told, "FECAESolicitar recovered answered") {
		t.Errorf("recorded %q", told)
	}
}

// TestSettlementIsRedacted: the members that an operator redacts are hidden in settlements, as in all else.
func TestSettlementIsRedacted(t *testing.T) {
	behind, ledger := caddytest.FreeAddress(t), t.TempDir()+"/ledger.db"
	s := caddytest.Start(t, "respond 503", caddytest.TrailOption+"redact /FeCAEReq/FeDetReq/FECAEDetRequest/*/DocNro /FeDetResp/FECAEDetResponse/*/DocNro /ResultGet/DocNro")
	options := append(slices.Clone(caddytest.Exactly), s.WithAudit(caddytest.TrailOption+"redact /FeCAEReq/FeDetReq/FECAEDetRequest/*/DocNro /FeDetResp/FECAEDetResponse/*/DocNro /ResultGet/DocNro"))
	load := func(faults string) {
		s.Load(s.Config(strings.Join(options, "\n"), caddytest.ProxyTo(behind)) + caddytest.ServiceSite(behind, ledger, faults))
	}
	load("fault drop {\n operation FECAESolicitar\n count 1\n}\nfault error_501 {\n operation FECompConsultar\n}")
	const document = "30111222"
	body := strings.Replace(caddytest.Invoice(1), `"DocTipo":99,"DocNro":0`, `"DocTipo":96,"DocNro":`+document, 1)
	if got := s.Post("FECAESolicitar", body); got.Status != 504 {
		t.Fatalf("got %d %s", got.Status, got.Body)
	}
	load("")
	got := s.Post("FECAESolicitar", body)
	if got.Header.Get("Wsfev1-Outcome") != "replayed" || got.At(t, "/FeCabResp/Resultado") != `"A"` {
		t.Errorf("again: %d %v %s", got.Status, got.Header, got.Body)
	}
	settled := 0
	for _, r := range s.Records() {
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

// TestADifferenceThatIsSettledIsRedacted: the finding would show a field of another program's
// invoice.
func TestADifferenceThatIsSettledIsRedacted(t *testing.T) {
	behind, ledger := caddytest.FreeAddress(t), t.TempDir()+"/ledger.db"
	s := caddytest.NewSite(t)
	options := append(slices.Clone(caddytest.Exactly), s.WithAudit(caddytest.TrailOption+"redact /FeCAEReq/FeDetReq/FECAEDetRequest/*/DocNro /FeDetResp/FECAEDetResponse/*/DocNro /ResultGet/DocNro"))
	load := func(faults string) {
		s.Load(s.Config(strings.Join(options, "\n"), caddytest.ProxyTo(behind)) + caddytest.ServiceSite(behind, ledger, faults))
	}
	load("fault drop {\n commit no\n operation FECAESolicitar\n count 1\n}\nfault error_501 {\n operation FECompConsultar\n}")
	const ours, theirs = "30111222", "30999888"
	of := func(document string) string {
		return strings.Replace(caddytest.Invoice(1), `"DocTipo":99,"DocNro":0`, `"DocTipo":96,"DocNro":`+document, 1)
	}
	if got := s.Post("FECAESolicitar", of(ours)); got.Status != 504 {
		t.Fatalf("got %d %s", got.Status, got.Body)
	}
	direct := *s
	direct.URL = "http://" + behind
	if got := direct.Post("FECAESolicitar", of(theirs)); got.At(t, "/FeCabResp/Resultado") != `"A"` {
		t.Fatalf("the other program: %s", got.Body)
	}
	load("")
	s.Post("FECAESolicitar", of(ours))
	differences := 0
	for _, r := range s.Records() {
		if r.Kind == audit.KindSettlement {
			differences += len(r.Findings)
		}
		text := fmt.Sprintf("%s %s %+v %s", r.Request, r.Answer, r.Findings, r.Detail)
		if strings.Contains(text, ours) || strings.Contains(text, theirs) {
			t.Errorf("record %d, a %s of %s, holds a document: %s", r.Index, r.Kind, r.Operation, text)
		}
	}
	if differences == 0 {
		t.Error("no settlement has a difference")
	}
}

// TestSeriesWaitsForTheRecord: the next request of a series is not sent before the outcome of the
// one before is durable.
func TestSeriesWaitsForTheRecord(t *testing.T) {
	var slow atomic.Pointer[audittest.Faulty]
	upstream := caddytest.NewStub(t, func(w http.ResponseWriter, r *http.Request) {
		caddytest.Disk.Lock() // the intent is durable: from now on writes wait
		caddytest.Disk.Faulty = slow.Load()
		caddytest.Disk.Unlock()
		caddytest.Answering(200, caddytest.Approval)(w, r)
	})
	s := caddytest.StartFailing(t, "respond 503")
	s.Load(s.Config("audit failing\nseries_wait 50ms", caddytest.ProxyTo(upstream.URL)))
	held := audittest.NewFaulty(caddytest.Disk.Memory, nil)
	entered, release := held.Hold()
	slow.Store(held)
	first := make(chan caddytest.Response, 1)
	go func() { first <- s.Post("FECAESolicitar", caddytest.Invoice(1)) }()
	<-entered
	second := make(chan caddytest.Response, 1)
	go func() { second <- s.Post("FECAESolicitar", caddytest.Invoice(2)) }()
	caddytest.Eventually(t, "two records to write", func() bool { return s.Metric("wsfev1_audit_queue_records") == "2" })
	release()
	if got := <-first; got.Status != 200 {
		t.Errorf("the first: %d %s", got.Status, got.Body)
	}
	if got := <-second; got.Header.Get("Wsfev1-Outcome") != "busy" || upstream.Hits.Load() != 1 {
		t.Errorf("the second: %d %v, %d requests sent", got.Status, got.Header, upstream.Hits.Load())
	}
}

// TestATwinIsNotRefusedAsItsFirstLeaves: the first has left while it waited for a slot, so nothing was sent, and the
// other one waits in its place.
func TestATwinIsNotRefusedAsItsFirstLeaves(t *testing.T) {
	u := caddytest.NewIssuing(t)
	s := caddytest.Start(t, caddytest.ProxyTo(u.URL), append(slices.Clone(caddytest.Exactly), "in_flight issuing 1 wait 1m")...)
	release := u.Hold(t, 1)
	var group sync.WaitGroup
	group.Go(func() { s.Post("FECAESolicitar", caddytest.Invoice(1)) })
	<-u.Arrived
	body := strings.Replace(caddytest.Invoice(2), "20111111112", caddytest.IssuerOf(2).String(), 1)
	const bodies, seriesWaits = `wsfev1_in_flight_ratio{kind="bodies"}`, "wsfev1_series_wait_duration_seconds_count"
	waits := s.Metric(seriesWaits)
	ctx, leave := context.WithCancel(t.Context())
	group.Go(func() { _, _ = caddytest.Try(s.Request(ctx, "FECAESolicitar", body)) })
	caddytest.Eventually(t, "the first has its turn", func() bool { return s.Metric(seriesWaits) != waits })
	before := s.Metric(bodies)
	answers := make(chan caddytest.Response, 1)
	group.Go(func() { answers <- s.Post("FECAESolicitar", body) })
	caddytest.Eventually(t, "the twin has arrived", func() bool { return s.Metric(bodies) != before })
	leave()
	caddytest.Eventually(t, "the first has its record", func() bool {
		return slices.ContainsFunc(s.Records(), func(r *audit.Record) bool { return r.Outcome == audit.OutcomeBusy })
	})
	release()
	if got := <-answers; got.Header.Get("Wsfev1-Outcome") != "approved" || u.TimesAsked(2) != 1 {
		t.Errorf("%d %v %s, asked %d times", got.Status, got.Header, got.Body, u.TimesAsked(2))
	}
	group.Wait()
}
