package caddymodule_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/audit"
)

// wantAt compares members of an answer.
func wantAt(t *testing.T, r response, members map[string]string) {
	t.Helper()
	for pointer, want := range members {
		if got := r.at(t, pointer); got != want {
			t.Errorf("%s is %s, want %s: %s", pointer, got, want, r.body)
		}
	}
}

// TestAdminTellsHowTheTrailStands, while a request is on its way, and while its
// outcome is owed; a load balancer learns it from /ready.
func TestAdminTellsHowTheTrailStands(t *testing.T) {
	upstream, arrived, release := holding(t)
	next := proxyTo(upstream.URL)
	s := administer(t, startFailing(t, next), "audit failing", next)
	sound := map[string]string{
		"/logs/0/records": "0", "/logs/0/pending_outcomes": "0", "/logs/0/open_intents": "0",
		"/logs/0/open_intents_whole": "true", "/logs/0/degraded": "false", "/logs/0/problem": `""`,
	}
	wantAt(t, s.ask("GET", "/wsfev1/audit", ""), sound)
	done := heldRequest(t, s.site, arrived)
	wantAt(t, s.ask("GET", "/wsfev1/audit", ""), map[string]string{"/logs/0/records": "1", "/logs/0/open_intents": "1"})
	if open := s.metric("wsfev1_audit_open_intents"); open != "1" {
		t.Errorf("open intents: %s", open)
	}
	breakDisk(true)
	release()
	<-done
	wantAt(t, s.ask("GET", "/wsfev1/audit", ""), map[string]string{
		"/logs/0/records": "1", "/logs/0/pending_outcomes": "1", "/logs/0/open_intents": "1", "/logs/0/degraded": "true",
	})
	for range 2 {
		got := s.ask("GET", "/wsfev1/ready", "")
		if got.status != 503 || !strings.Contains(got.refusal(t), "records could not be written yet") {
			t.Errorf("ready with a broken disk: %d %s", got.status, got.body)
		}
	}
	breakDisk(false)
	if got := s.ask("GET", "/wsfev1/ready", ""); got.status != 200 || got.at(t, "/ready") != "true" {
		t.Errorf("ready after the disk came back: %d %s", got.status, got.body)
	}
	sound["/logs/0/records"] = "2" // being asked has written the outcome
	wantAt(t, s.ask("GET", "/wsfev1/audit", ""), sound)
	if open := s.metric("wsfev1_audit_open_intents"); open != "0" {
		t.Errorf("open intents: %s", open)
	}
}

// TestNotReadyAfterARecordCouldNotBeWritten, ready once one could.
func TestNotReadyAfterARecordCouldNotBeWritten(t *testing.T) {
	upstream := newStub(t, answering(200, approval))
	s := administer(t, startFailing(t, proxyTo(upstream.URL)), "audit failing", proxyTo(upstream.URL))
	breakDisk(true)
	s.post("FECAESolicitar", invoice(1))
	if got := s.ask("GET", "/wsfev1/ready", ""); got.status != 503 || !strings.Contains(got.refusal(t), "no space left") {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := s.ask("GET", "/wsfev1/live", ""); got.status != 200 || got.at(t, "/live") != "true" {
		t.Errorf("live: %d %s", got.status, got.body)
	}
	breakDisk(false)
	s.post("FECAESolicitar", invoice(1))
	if got := s.ask("HEAD", "/wsfev1/ready", ""); got.status != 200 {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// TestThatItIsNotReadyIsLoggedOnce for each time that somebody asks: a load balancer asks often.
func TestThatItIsNotReadyIsLoggedOnce(t *testing.T) {
	upstream := newStub(t, answering(200, approval))
	s, file := administer(t, startFailing(t, proxyTo(upstream.URL)), "audit failing", proxyTo(upstream.URL)), filepath.Join(t.TempDir(), "default.log")
	s.load(strings.Replace(s.withAdmin(s.config("audit failing", proxyTo(upstream.URL))), "{\n", "{\n log {\n"+logTo(file)+" }\n", 1))
	breakDisk(true)
	s.post("FECAESolicitar", invoice(1))
	before := strings.Count(contentOf(t, file), "no space left")
	if got := s.ask("GET", "/wsfev1/ready", ""); got.status != 503 {
		t.Errorf("%d %s", got.status, got.body)
	}
	if said := strings.Count(contentOf(t, file), "no space left") - before; said != 1 {
		t.Errorf("said %d times", said)
	}
}

// TestNotReadyWhileTheProcessStops: a load balancer sends it nothing more, while what is under
// way comes to its end; and the process lives until then.
func TestNotReadyWhileTheProcessStops(t *testing.T) {
	upstream, arrived, release := holding(t)
	s := &administered{admin: freeAddress(t), site: &site{
		t: t, store: filepath.Join(t.TempDir(), "audit.db"),
		url: "http://" + freeAddress(t), metrics: "http://" + freeAddress(t),
	}}
	p := startCaddy(t, s.withAdmin(s.config(s.withAudit(), proxyTo(upstream.URL))))
	if _, err := p.ready(); err != nil {
		t.Fatalf("%v: %s", err, &p.stderr)
	}
	done := heldRequest(t, s.site, arrived)
	if got := s.ask("GET", "/wsfev1/ready", ""); got.status != 200 {
		t.Errorf("before: %d %s", got.status, got.body)
	}
	stopped := make(chan response, 1)
	go func() { stopped <- s.ask("POST", "/stop", "") }() // which waits for the exchange
	eventually(t, "it is not ready", func() bool { return s.ask("GET", "/wsfev1/ready", "").status == 503 })
	if got := s.ask("GET", "/wsfev1/ready", ""); got.refusal(t) != "the process is stopping: it accepts no new requests" {
		t.Errorf("%s", got.body)
	}
	if got := s.ask("GET", "/wsfev1/live", ""); got.status != 200 {
		t.Errorf("live: %d", got.status)
	}
	release()
	if got := <-done; string(got.body) != approval || got.header.Get("Wsfev1-Record") == "" {
		t.Errorf("%d %v %s", got.status, got.header, got.body)
	}
	<-stopped
}

// TestAdminWithoutAGateway: it lives, and is not ready.
func TestAdminWithoutAGateway(t *testing.T) {
	s := startAdministered(t, withBackend(t), func(caddyfile string) string {
		head, rest, _ := strings.Cut(caddyfile, "wsfev1 {")
		_, rest, _ = strings.Cut(rest, "}")
		return head + rest
	})
	for path, status := range map[string]int{"/wsfev1/live": 200, "/wsfev1/ready": 503, "/wsfev1/audit": 404} {
		if got := s.ask("GET", path, ""); got.status != status {
			t.Errorf("%s: %d %s, want %d", path, got.status, got.body, status)
		}
		if got := s.ask("PUT", path, "{}"); got.status != 405 {
			t.Errorf("PUT %s: %d", path, got.status)
		}
	}
}

// TestOpenIntentsOfACrashAreCountedAtStart, and still are when others come and go.
func TestOpenIntentsOfACrashAreCountedAtStart(t *testing.T) {
	open := func() *audit.Record { return &audit.Record{Kind: audit.KindIntent, Operation: "FECAESolicitar"} }
	kept := keptTrail(t, open(), &audit.Record{Kind: audit.KindOutcome, Intent: 0, Outcome: "approved"}, open(), open())
	s := startAdministered(t, "respond `"+approval+"`", nil)
	s.store = kept.store
	s.reload("respond `"+approval+"`", nil)
	s.post("FECAESolicitar", invoice(1))
	wantAt(t, s.ask("GET", "/wsfev1/audit", ""), map[string]string{
		"/logs/0/log": `"gateway-1"`, "/logs/0/records": "6", "/logs/0/open_intents": "2", "/logs/0/degraded": "false",
	})
	if got := s.metric("wsfev1_audit_open_intents"); got != "2" {
		t.Errorf("metric: %s", got)
	}
	// A trail that is not open any more is out of the metric.
	s.store += ".second"
	s.reload("respond `"+approval+"`", nil)
	eventually(t, "the first trail is closed", func() bool { return s.metric("wsfev1_audit_open_intents") == "0" })
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
}
