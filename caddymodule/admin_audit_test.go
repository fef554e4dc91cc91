package caddymodule_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/audit"
)

// wantAt compares members of an answer.
func wantAt(t *testing.T, r Response, members map[string]string) {
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
	upstream, arrived, release := Holding(t)
	next := ProxyTo(upstream.URL)
	s := Administer(t, StartFailing(t, next), "audit failing", next)
	sound := map[string]string{
		"/logs/0/records": "0", "/logs/0/pending_outcomes": "0", "/logs/0/open_intents": "0",
		"/logs/0/open_intents_whole": "true", "/logs/0/degraded": "false", "/logs/0/problem": `""`,
	}
	wantAt(t, s.Ask("GET", "/wsfev1/audit", ""), sound)
	done := HeldRequest(t, s.Site, arrived)
	wantAt(t, s.Ask("GET", "/wsfev1/audit", ""), map[string]string{"/logs/0/records": "1", "/logs/0/open_intents": "1"})
	if open := s.Metric("wsfev1_audit_open_intents"); open != "1" {
		t.Errorf("open intents: %s", open)
	}
	BreakDisk(true)
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
	BreakDisk(false)
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
	upstream := NewStub(t, Answering(200, Approval))
	s := Administer(t, StartFailing(t, ProxyTo(upstream.URL)), "audit failing", ProxyTo(upstream.URL))
	BreakDisk(true)
	s.Post("FECAESolicitar", Invoice(1))
	if got := s.Ask("GET", "/wsfev1/ready", ""); got.Status != 503 || !strings.Contains(got.Refusal(t), "no space left") {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	if got := s.Ask("GET", "/wsfev1/live", ""); got.Status != 200 || got.At(t, "/live") != "true" {
		t.Errorf("live: %d %s", got.Status, got.Body)
	}
	BreakDisk(false)
	s.Post("FECAESolicitar", Invoice(1))
	if got := s.Ask("HEAD", "/wsfev1/ready", ""); got.Status != 200 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}

// TestThatItIsNotReadyIsLoggedOnce for each time that somebody asks: a load balancer asks often.
func TestThatItIsNotReadyIsLoggedOnce(t *testing.T) {
	upstream := NewStub(t, Answering(200, Approval))
	s, file := Administer(t, StartFailing(t, ProxyTo(upstream.URL)), "audit failing", ProxyTo(upstream.URL)), filepath.Join(t.TempDir(), "default.log")
	s.Load(strings.Replace(s.WithAdmin(s.Config("audit failing", ProxyTo(upstream.URL))), "{\n", "{\n log {\n"+LogTo(file)+" }\n", 1))
	BreakDisk(true)
	s.Post("FECAESolicitar", Invoice(1))
	before := strings.Count(contentOf(t, file), "no space left")
	if got := s.Ask("GET", "/wsfev1/ready", ""); got.Status != 503 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	if said := strings.Count(contentOf(t, file), "no space left") - before; said != 1 {
		t.Errorf("said %d times", said)
	}
}

// TestNotReadyWhileTheProcessStops: a load balancer sends it nothing more, while what is under
// way comes to its end; and the process lives until then.
func TestNotReadyWhileTheProcessStops(t *testing.T) {
	upstream, arrived, release := Holding(t)
	s := &Administered{Admin: FreeAddress(t), Site: &Site{
		T: t, Store: filepath.Join(t.TempDir(), "audit.db"),
		URL: "http://" + FreeAddress(t), Metrics: "http://" + FreeAddress(t),
	}}
	p := StartCaddy(t, s.WithAdmin(s.Config(s.WithAudit(), ProxyTo(upstream.URL))))
	if _, err := p.Ready(); err != nil {
		t.Fatalf("%v: %s", err, &p.Stderr)
	}
	done := HeldRequest(t, s.Site, arrived)
	if got := s.Ask("GET", "/wsfev1/ready", ""); got.Status != 200 {
		t.Errorf("before: %d %s", got.Status, got.Body)
	}
	stopped := make(chan Response, 1)
	go func() { stopped <- s.Ask("POST", "/stop", "") }() // which waits for the exchange
	Eventually(t, "it is not ready", func() bool { return s.Ask("GET", "/wsfev1/ready", "").Status == 503 })
	if got := s.Ask("GET", "/wsfev1/ready", ""); got.Refusal(t) != "the process stops: it takes no new requests" {
		t.Errorf("%s", got.Body)
	}
	if got := s.Ask("GET", "/wsfev1/live", ""); got.Status != 200 {
		t.Errorf("live: %d", got.Status)
	}
	release()
	if got := <-done; string(got.Body) != Approval || got.Header.Get("Wsfev1-Record") == "" {
		t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
	}
	<-stopped
}

// TestAdminWithoutAGateway: it lives, and is not ready.
func TestAdminWithoutAGateway(t *testing.T) {
	s := StartAdministered(t, WithBackend(t), func(caddyfile string) string {
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
	kept := KeptTrail(t, open(), &audit.Record{Kind: audit.KindOutcome, Intent: 0, Outcome: "approved"}, open(), open())
	s := StartAdministered(t, "respond `"+Approval+"`", nil)
	s.Store = kept.Store
	s.Reload("respond `"+Approval+"`", nil)
	s.Post("FECAESolicitar", Invoice(1))
	wantAt(t, s.Ask("GET", "/wsfev1/audit", ""), map[string]string{
		"/logs/0/log": `"gateway-1"`, "/logs/0/records": "6", "/logs/0/open_intents": "2", "/logs/0/degraded": "false",
	})
	if got := s.Metric("wsfev1_audit_open_intents"); got != "2" {
		t.Errorf("metric: %s", got)
	}
	// A trail that is not open any more is out of the metric.
	s.Store += ".second"
	s.Reload("respond `"+Approval+"`", nil)
	Eventually(t, "the first trail is closed", func() bool { return s.Metric("wsfev1_audit_open_intents") == "0" })
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
}
