package trail_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/audittest"
)

// TestEveryCommitMayFail: the store fails at the n-th commit, for every n and in every
// way. Whatever the operator has chosen, each invoice is issued once, its client gets
// its code, and in the end the trail has both halves of it once.
func TestEveryCommitMayFail(t *testing.T) {
	const commits = 8 // of a scenario without faults
	for _, mode := range []string{"refuse", "forward"} {
		t.Run(mode, func(t *testing.T) {
			upstream := caddytest.NewIssuing(t)
			s := caddytest.StartFailing(t, caddytest.ProxyTo(upstream.URL), "on_failure "+mode)
			var issued []int
			for _, fault := range []audittest.Fault{
				0, audittest.FaultBefore, audittest.FaultAfter, audittest.FaultBeforeSilent, audittest.FaultAfterSilent,
			} {
				for n := 1; n <= commits && (fault != 0 || n == 1); n++ {
					// The records that the scenario before owes would be written in the middle of this one.
					caddytest.Eventually(t, "what is owed is written", func() bool { return s.Metric("wsfev1_audit_pending_outcomes") == "0" })
					failAt(n, fault)
					failures := scenario(t, s, mode, len(issued), upstream)
					for range 3 {
						issued = append(issued, len(issued)+1)
					}
					// What a store has done although it said otherwise is found out. An
					// exchange that went on without its intent may get it in time, so
					// that nothing is seen.
					sound := fault == 0 || fault == audittest.FaultAfter
					if sound && failures > 0 || !sound && failures == 0 && mode == "refuse" {
						t.Errorf("fault %d at commit %d: %d failures seen", fault, n, failures)
					}
					failAt(0, 0)
				}
			}
			caddytest.Eventually(t, "what is owed is written", func() bool { return s.Metric("wsfev1_audit_pending_outcomes") == "0" })
			caddytest.WantEachOnce(t, caddytest.Kept(t), issued...)
			if open := s.Metric("wsfev1_audit_open_intents"); open != "0" {
				t.Errorf("open intents: %s", open)
			}
		})
	}
}

// scenario is a query, an invoice, a malformed request and two invoices more, each sent
// until it is not refused with 503. It returns how many failures a client could see.
func scenario(t *testing.T, s *caddytest.Site, mode string, issued int, upstream *caddytest.Issuing) (failures int) {
	t.Helper()
	send := func(operation, body string, status, number int) {
		t.Helper()
		for range 10 {
			got := s.Post(operation, body)
			address, unrecorded := got.Header.Get("Wsfev1-Record"), got.Header.Get("Wsfev1-Unrecorded")
			if got.Status == http.StatusServiceUnavailable && mode == "refuse" {
				failures++
				if codes := got.Codes(t); got.Header.Get("Retry-After") == "" || codes[0] != "audit.unavailable" {
					t.Errorf("%s: 503 with %v and %v", operation, codes, got.Header)
				}
				if number > 0 && upstream.TimesAsked(number) > 0 {
					t.Errorf("invoice %d was sent without an intent", number)
				}
				continue
			}
			if got.Status != status || number > 0 && string(got.Body) != caddytest.ApprovalOf(number) {
				t.Errorf("%s %d: %d %s", operation, number, got.Status, got.Body)
			}
			if unrecorded != "" {
				failures++
				if !strings.HasPrefix(unrecorded, "pending; exchange=") {
					t.Errorf("%s %d: %s", operation, number, unrecorded)
				}
			}
			if address == "" == (unrecorded == "") {
				t.Errorf("%s %d: record %q, unrecorded %q", operation, number, address, unrecorded)
			}
			if address != "" && number > 0 {
				wantRecordOf(t, s, address, number)
			}
			if number > 0 && upstream.TimesAsked(number) != 1 {
				t.Errorf("invoice %d was sent %d times", number, upstream.TimesAsked(number))
			}
			return
		}
		t.Errorf("%s %d is refused for ever", operation, number)
	}
	send("FECompTotXRequest", "{"+caddytest.AuthText+"}", 200, 0)
	send("FECAESolicitar", caddytest.Invoice(issued+1), 200, issued+1)
	send("FECompTotXRequest", "{", 400, 0)
	send("FECAESolicitar", caddytest.Invoice(issued+2), 200, issued+2)
	send("FECAESolicitar", caddytest.Invoice(issued+3), 200, issued+3)
	return failures
}

// wantRecordOf looks for the invoice at the address that its client was given.
func wantRecordOf(t *testing.T, s *caddytest.Site, address string, number int) {
	t.Helper()
	log, text, _ := strings.Cut(address, "/")
	index, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	caddytest.Disk.Lock()
	r, err := caddytest.Disk.Memory.Get(t.Context(), log, index)
	caddytest.Disk.Unlock()
	if err != nil || fmt.Sprint(r.Vouchers) != fmt.Sprintf("[{%d %d %s 20261130 A}]", number, number, caddytest.CodeOf(number)) {
		t.Errorf("at %s stands %+v, %v; want invoice %d", address, r, err, number)
	}
}

// TestForwardGoesOnWithoutATrail, whatever is asked, until the store is there again.
func TestForwardGoesOnWithoutATrail(t *testing.T) {
	upstream := caddytest.NewIssuing(t)
	s := caddytest.Administer(t, caddytest.StartFailing(t, "respond ok"), "audit failing {\n on_failure forward\n}", caddytest.ProxyTo(upstream.URL))
	before := s.Metric("wsfev1_audit_unrecorded_total")
	caddytest.BreakDisk(true)
	for number := 1; number <= 20; number++ {
		got := s.Post("FECAESolicitar", caddytest.Invoice(number))
		if got.Status != 200 || string(got.Body) != caddytest.ApprovalOf(number) || got.Header.Get("Wsfev1-Record") != "" {
			t.Errorf("invoice %d: %d %v %s", number, got.Status, got.Header, got.Body)
		}
	}
	if got := s.Post("FENada", "{}"); got.Status != 404 || !strings.HasPrefix(got.Header.Get("Wsfev1-Unrecorded"), "pending; exchange=") {
		t.Errorf("a wrong request: %d %v", got.Status, got.Header)
	}
	if got := s.Metric("wsfev1_audit_unrecorded_total"); got != caddytest.Plus(t, before, 21) {
		t.Errorf("unrecorded: %s, before %s", got, before)
	}
	if got := s.Metric("wsfev1_audit_pending_outcomes"); got != "41" {
		t.Errorf("pending: %s, want 20 intents, 20 outcomes and 1 exchange", got)
	}
	wantAt(t, s.Ask("GET", "/wsfev1/audit", ""), map[string]string{"/logs/0/degraded": "true", "/logs/0/pending_outcomes": "41"})
	if got := s.Ask("GET", "/wsfev1/ready", ""); got.Status != 200 {
		t.Errorf("a load balancer would refuse what the gateway forwards: %d %s", got.Status, got.Body)
	}
	caddytest.BreakDisk(false)
	// Nobody asks for anything: the gateway tries by itself.
	caddytest.Eventually(t, "what is owed is written", func() bool { return s.Metric("wsfev1_audit_pending_outcomes") == "0" })
	records := caddytest.Kept(t)
	if len(records) != 41 {
		t.Errorf("%d records", len(records))
	}
	numbers := make([]int, 20)
	for i := range numbers {
		numbers[i] = i + 1
	}
	caddytest.WantEachOnce(t, records, numbers...)
	if got := s.Post("FECAESolicitar", caddytest.Invoice(21)); got.Header.Get("Wsfev1-Record") == "" || got.Header.Get("Wsfev1-Unrecorded") != "" {
		t.Errorf("afterwards: %d %v", got.Status, got.Header)
	}
}

// TestWhatIsOwedIsBounded: a record that does not fit is lost, told and counted. A small one
// still fits, and an outcome whose intent did not fit holds the request itself.
func TestWhatIsOwedIsBounded(t *testing.T) {
	upstream := caddytest.NewIssuing(t)
	s := caddytest.StartFailing(t, caddytest.ProxyTo(upstream.URL), "on_failure forward")
	t.Cleanup(trail.LimitBacklog(40_000))
	before := s.Metric("wsfev1_audit_lost_records_total")
	filling := `{"Relleno":` + strings.Repeat(" ", 10_000) + `1}`
	long := strings.Replace(caddytest.Invoice(1), `{"Auth"`, strings.Repeat(" ", 8_000)+`{"Auth"`, 1)
	caddytest.BreakDisk(true)
	fates := map[string]int{}
	send := func(operation, body string) {
		fate, _, _ := strings.Cut(s.Post(operation, body).Header.Get("Wsfev1-Unrecorded"), ";")
		fates[fate]++
	}
	for range 5 {
		send("FECompTotXRequest", filling)
	}
	if fates["pending"] != 3 || fates["lost"] != 2 {
		t.Errorf("fates: %v, want 3 pending and 2 lost", fates)
	}
	send("FECAESolicitar", long)                 // no room for its intent, nor for an outcome with the request
	send("FECAESolicitar", caddytest.Invoice(2)) // room for both
	if fates["pending"] != 4 || fates["lost"] != 3 {
		t.Errorf("fates: %v, want the second invoice pending and the first lost", fates)
	}
	if got := s.Metric("wsfev1_audit_lost_records_total"); got != caddytest.Plus(t, before, 3) {
		t.Errorf("lost: %s, before %s", got, before)
	}
	caddytest.BreakDisk(false)
	caddytest.Eventually(t, "what is owed is written", func() bool { return s.Metric("wsfev1_audit_pending_outcomes") == "0" })
	records := caddytest.Kept(t)
	if len(records) != 5 {
		t.Errorf("%d records, want 3 and the two of an invoice", len(records))
	}
	caddytest.WantEachOnce(t, records, 2)
}
