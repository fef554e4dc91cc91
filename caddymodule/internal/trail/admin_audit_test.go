package trail_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// wantAt compares members of an answer.
func wantAt(t *testing.T, r caddytest.Response, members map[string]string) {
	t.Helper()
	for pointer, want := range members {
		if got := r.At(t, pointer); got != want {
			t.Errorf("%s is %s, want %s: %s", pointer, got, want, r.Body)
		}
	}
}

// TestAdminTellsHowTheTrailStands, while a request is on its way, and while its
// outcome is owed; a load balancer learns it from /ready.
func TestAdminTellsHowTheTrailStands(t *testing.T) {
	upstream, arrived, release := caddytest.Holding(t)
	next := caddytest.ProxyTo(upstream.URL)
	s := caddytest.Administer(t, caddytest.StartFailing(t, next), "audit failing", next)
	sound := map[string]string{
		"/logs/0/records": "0", "/logs/0/pending_outcomes": "0", "/logs/0/open_intents": "0",
		"/logs/0/open_intents_whole": "true", "/logs/0/degraded": "false", "/logs/0/problem": `""`,
	}
	wantAt(t, s.Ask("GET", "/wsfev1/audit", ""), sound)
	done := caddytest.HeldRequest(t, s.Site, arrived)
	wantAt(t, s.Ask("GET", "/wsfev1/audit", ""), map[string]string{"/logs/0/records": "1", "/logs/0/open_intents": "1"})
	if open := s.Metric("wsfev1_audit_open_intents"); open != "1" {
		t.Errorf("open intents: %s", open)
	}
	caddytest.BreakDisk(true)
	release()
	<-done
	wantAt(t, s.Ask("GET", "/wsfev1/audit", ""), map[string]string{
		"/logs/0/records": "1", "/logs/0/pending_outcomes": "1", "/logs/0/open_intents": "1", "/logs/0/degraded": "true",
	})
	for range 2 {
		got := s.Ask("GET", "/wsfev1/ready", "")
		if got.Status != 503 || !strings.Contains(got.Refusal(t), "records could not be written yet") {
			t.Errorf("ready with a broken disk: %d %s", got.Status, got.Body)
		}
	}
	caddytest.BreakDisk(false)
	if got := s.Ask("GET", "/wsfev1/ready", ""); got.Status != 200 || got.At(t, "/ready") != "true" {
		t.Errorf("ready after the disk came back: %d %s", got.Status, got.Body)
	}
	sound["/logs/0/records"] = "2" // being asked has written the outcome
	wantAt(t, s.Ask("GET", "/wsfev1/audit", ""), sound)
	if open := s.Metric("wsfev1_audit_open_intents"); open != "0" {
		t.Errorf("open intents: %s", open)
	}
}

// TestNotReadyAfterARecordCouldNotBeWritten, ready once one could.
func TestNotReadyAfterARecordCouldNotBeWritten(t *testing.T) {
	upstream := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
	s := caddytest.Administer(t, caddytest.StartFailing(t, caddytest.ProxyTo(upstream.URL)), "audit failing", caddytest.ProxyTo(upstream.URL))
	caddytest.BreakDisk(true)
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	if got := s.Ask("GET", "/wsfev1/ready", ""); got.Status != 503 || !strings.Contains(got.Refusal(t), "no space left") {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	if got := s.Ask("GET", "/wsfev1/live", ""); got.Status != 200 || got.At(t, "/live") != "true" {
		t.Errorf("live: %d %s", got.Status, got.Body)
	}
	caddytest.BreakDisk(false)
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	if got := s.Ask("HEAD", "/wsfev1/ready", ""); got.Status != 200 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}

// TestThatItIsNotReadyIsLoggedOnce for each time that somebody asks: a load balancer asks often.
func TestThatItIsNotReadyIsLoggedOnce(t *testing.T) {
	upstream := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
	s, file := caddytest.Administer(t, caddytest.StartFailing(t, caddytest.ProxyTo(upstream.URL)), "audit failing", caddytest.ProxyTo(upstream.URL)), filepath.Join(t.TempDir(), "default.log")
	s.Load(strings.Replace(s.WithAdmin(s.Config("audit failing", caddytest.ProxyTo(upstream.URL))), "{\n", "{\n log {\n"+caddytest.LogTo(file)+" }\n", 1))
	caddytest.BreakDisk(true)
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	before := strings.Count(contentOf(t, file), "no space left")
	if got := s.Ask("GET", "/wsfev1/ready", ""); got.Status != 503 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	if said := strings.Count(contentOf(t, file), "no space left") - before; said != 1 {
		t.Errorf("said %d times", said)
	}
}

// TestNotReadyWhileTheProcessStops: a load balancer sends it nothing more, while the requests
// under way come to their end; and the process lives until then.
func TestNotReadyWhileTheProcessStops(t *testing.T) {
	upstream, arrived, release := caddytest.Holding(t)
	s := &caddytest.Administered{Admin: caddytest.FreeAddress(t), Site: &caddytest.Site{
		T: t, Store: filepath.Join(t.TempDir(), "audit.db"),
		URL: "http://" + caddytest.FreeAddress(t), Metrics: "http://" + caddytest.FreeAddress(t),
	}}
	p := caddytest.StartCaddy(t, s.WithAdmin(s.Config(s.WithAudit(), caddytest.ProxyTo(upstream.URL))))
	if _, err := p.Ready(); err != nil {
		t.Fatalf("%v: %s", err, &p.Stderr)
	}
	done := caddytest.HeldRequest(t, s.Site, arrived)
	if got := s.Ask("GET", "/wsfev1/ready", ""); got.Status != 200 {
		t.Errorf("before: %d %s", got.Status, got.Body)
	}
	stopped := make(chan caddytest.Response, 1)
	go func() { stopped <- s.Ask("POST", "/stop", "") }() // which waits for the exchange
	caddytest.Eventually(t, "it is not ready", func() bool { return s.Ask("GET", "/wsfev1/ready", "").Status == 503 })
	if got := s.Ask("GET", "/wsfev1/ready", ""); got.Refusal(t) != "the process is stopping: it accepts no new requests" {
		t.Errorf("%s", got.Body)
	}
	if got := s.Ask("GET", "/wsfev1/live", ""); got.Status != 200 {
		t.Errorf("live: %d", got.Status)
	}
	release()
	if got := <-done; string(got.Body) != caddytest.Approval || got.Header.Get("Wsfev1-Record") == "" {
		t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
	}
	<-stopped
}

// TestAdminWithoutAGateway: it lives, and is not ready.
func TestAdminWithoutAGateway(t *testing.T) {
	s := caddytest.StartAdministered(t, caddytest.WithBackend(t), func(caddyfile string) string {
		head, rest, _ := strings.Cut(caddyfile, "wsfev1 {")
		_, rest, _ = strings.Cut(rest, "}")
		return head + rest
	})
	for path, status := range map[string]int{"/wsfev1/live": 200, "/wsfev1/ready": 503, "/wsfev1/audit": 404} {
		if got := s.Ask("GET", path, ""); got.Status != status {
			t.Errorf("%s: %d %s, want %d", path, got.Status, got.Body, status)
		}
		if got := s.Ask("PUT", path, "{}"); got.Status != 405 {
			t.Errorf("PUT %s: %d", path, got.Status)
		}
	}
}

// TestOpenIntentsOfACrashAreCountedAtStart, and still are when others come and go.
func TestOpenIntentsOfACrashAreCountedAtStart(t *testing.T) {
	open := func() *audit.Record { return &audit.Record{Kind: audit.KindIntent, Operation: "FECAESolicitar"} }
	kept := caddytest.KeptTrail(t, open(), &audit.Record{Kind: audit.KindOutcome, Intent: 0, Outcome: "approved"}, open(), open())
	s := caddytest.StartAdministered(t, "respond `"+caddytest.Approval+"`", nil)
	s.Store = kept.Store
	s.Reload("respond `"+caddytest.Approval+"`", nil)
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	wantAt(t, s.Ask("GET", "/wsfev1/audit", ""), map[string]string{
		"/logs/0/log": `"gateway-1"`, "/logs/0/records": "6", "/logs/0/open_intents": "2", "/logs/0/degraded": "false",
	})
	if got := s.Metric("wsfev1_audit_open_intents"); got != "2" {
		t.Errorf("metric: %s", got)
	}
	// A trail that is not open any more is out of the metric.
	s.Store += ".second"
	s.Reload("respond `"+caddytest.Approval+"`", nil)
	caddytest.Eventually(t, "the first trail is closed", func() bool { return s.Metric("wsfev1_audit_open_intents") == "0" })
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
}
