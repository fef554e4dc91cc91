package caddymodule_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/audit"
)

// replaying is what these tests are about: what was answered is answered again.
const replaying = "replay on"

// refusedFor loads a configuration that must not start, and looks why it does not.
func refusedFor(t *testing.T, caddyfile string, reasons ...string) {
	t.Helper()
	err := loadCaddyfile(caddyfile)
	if err == nil {
		t.Fatal("it has started")
	}
	for _, reason := range reasons {
		if !strings.Contains(err.Error(), reason) {
			t.Errorf("%v\nlacks %q", err, reason)
		}
	}
}

// TestATrailOfInventedCAEsDoesNotStartInFrontOfARealService: neither by a reload, after which
// the configuration before goes on, nor in another process. One of its own does.
func TestATrailOfInventedCAEsDoesNotStartInFrontOfARealService(t *testing.T) {
	upstream := newStub(t, answering(200, approval))
	next := withBackend(t)
	s := start(t, next, replaying)
	simulated := s.config(s.withAudit(replaying), next)
	issued := s.post("FECAESolicitar", invoice(1))
	if r := s.last(); r.Upstream != "wsfev1_backend" || r.Outcome != "approved" {
		t.Errorf("recorded %s of %q", r.Outcome, r.Upstream)
	}
	out, _, err := auditCommand("search", "--store", "sqlite:"+s.store, "--format", "json")
	if err != nil || !strings.Contains(out, `"upstream":"wsfev1_backend"`) {
		t.Errorf("search: %v\n%s", err, out)
	}

	real := s.config(s.withAudit(replaying), proxyTo(upstream.URL))
	reasons := []string{
		"audit sqlite:" + s.store + ": the built-in service has issued into the log " + s.last().Log,
		"invented", "Give audit another file for the real service, or put wsfev1_backend back",
	}
	refusedFor(t, real, reasons...)
	if got := s.post("FECAESolicitar", invoice(1)); got.header.Get("Wsfev1-Outcome") != "replayed" || string(got.body) != string(issued.body) {
		t.Errorf("the configuration before: %v %s", got.header, got.body)
	}
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	refusedFor(t, real, reasons...)
	s.load(simulated)
	if got := s.post("FECAESolicitar", invoice(1)); got.header.Get("Wsfev1-Outcome") != "replayed" {
		t.Errorf("the built-in service again: %v %s", got.header, got.body)
	}

	s.store = filepath.Join(t.TempDir(), "real.db")
	real = s.config(s.withAudit(replaying), proxyTo(upstream.URL))
	s.load(real)
	if got := s.post("FECAESolicitar", invoice(1)); string(got.body) != approval || upstream.hits.Load() != 1 {
		t.Errorf("%d requests: %s", upstream.hits.Load(), got.body)
	}
	if r := s.last(); r.Upstream != strings.TrimPrefix(upstream.URL, "http://") {
		t.Errorf("recorded of %q", r.Upstream)
	}
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	s.load(real)
	if got := s.post("FECAESolicitar", invoice(1)); got.header.Get("Wsfev1-Outcome") != "replayed" || upstream.hits.Load() != 1 {
		t.Errorf("%d requests: %v %s", upstream.hits.Load(), got.header, got.body)
	}
}

// TestQuestionsToTheBuiltInServiceSpoilNoTrail: there is nothing in it to be given again as issued.
func TestQuestionsToTheBuiltInServiceSpoilNoTrail(t *testing.T) {
	upstream := newStub(t, answering(200, approval))
	s := start(t, withBackend(t), replaying)
	for operation, body := range map[string]string{
		"FEDummy": "{}", "FECompUltimoAutorizado": "{" + authText + `,"PtoVta":1,"CbteTipo":6}`,
		"FECAESolicitar": strings.Replace(invoice(1), "121.00", "999.00", 1), // the gateway refuses it
	} {
		s.post(operation, body)
	}
	s.load(s.config(s.withAudit(replaying), proxyTo(upstream.URL)))
	if got := s.post("FECAESolicitar", invoice(1)); string(got.body) != approval {
		t.Errorf("%s", got.body)
	}
}

// TestARecoveredInventedAnswerSpoilsATrail, also where a handler in between has changed the body.
func TestARecoveredInventedAnswerSpoilsATrail(t *testing.T) {
	s := start(t, "route {\n request_body {\n max_size 1MB\n }\n"+withFaults(t, faultOnce("drop"))+"\n}", "recover within 20s")
	got := s.post("FECAESolicitar", invoice(1))
	r := s.last()
	if got.header.Get("Wsfev1-Outcome") != "recovered" || r.Outcome != "recovered" || r.Upstream != "wsfev1_backend" {
		t.Errorf("recorded %s of %q: %v %s", r.Outcome, r.Upstream, got.header, got.body)
	}
	refusedFor(t, s.config(s.withAudit(), proxyTo("127.0.0.1:1")), "the built-in service has issued")
}

// TestWhatTheBuiltInServiceSaysOfALostRequestSpoilsATrail: what became of a request that went to
// a real service is then settled with an invoice of that number that the other one has.
func TestWhatTheBuiltInServiceSaysOfALostRequestSpoilsATrail(t *testing.T) {
	upstream := newStub(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	next := withBackend(t)
	s := start(t, next)
	s.post("FECAESolicitar", invoice(1))
	s.store = filepath.Join(t.TempDir(), "real.db")
	s.load(s.config(s.withAudit("recover within 100ms"), proxyTo(upstream.URL)))
	if got := s.post("FECAESolicitar", invoice(1)); got.status != 504 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	s.load(s.config(s.withAudit("recover within 20s"), next))
	const recovered = `wsfev1_recoveries_total{result="recovered"}`
	before := s.metric(recovered)
	s.post("FECompTotXRequest", "{"+authText+"}") // lends its credentials
	eventually(t, "a settlement", func() bool { return s.metric(recovered) == plus(t, before, 1) })
	refusedFor(t, s.config(s.withAudit(), proxyTo(upstream.URL)), "the built-in service has issued")
}

// realAndBuiltIn is a configuration in which the header X-Real leads to a real service, all else to
// the built-in one; its log is a file.
func realAndBuiltIn(t *testing.T, s *site, upstream string) (caddyfile, log string) {
	log = filepath.Join(t.TempDir(), "log")
	next := "reverse_proxy @real " + upstream + "\n" + withBackend(t)
	caddyfile = s.config(s.withAudit(replaying), "@real header X-Real 1\nroute {\n"+next+"\n}")
	return strings.Replace(caddyfile, "{\n", "{\n log {\n"+logTo(log)+" }\n", 1), log
}

func postReal(s *site, operation, body string) response {
	r := s.request(s.t.Context(), operation, body)
	r.Header.Set("X-Real", "1")
	return s.do(r)
}

func countIn(t *testing.T, file, text string) int {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(content), text)
}

// TestARealAnswerBeforeASpoiltTrailIsTold: where a configuration has both services, only the
// exchanges show which of them the gateway stands in front of.
func TestARealAnswerBeforeASpoiltTrailIsTold(t *testing.T) {
	upstream := newStub(t, answering(200, approval))
	s := start(t, "respond 503")
	caddyfile, log := realAndBuiltIn(t, s, upstream.URL)
	s.load(caddyfile)
	const told, spoilt = "a service has answered in front of a trail", "the built-in service answers in front of a trail"
	postReal(s, "FECAESolicitar", invoice(1))
	if n := countIn(t, log, told) + countIn(t, log, spoilt); n != 0 {
		t.Errorf("told %d times of a real trail", n)
	}
	// The invented answer comes into a trail that has a real one.
	for number := 2; number < 4; number++ {
		s.post("FECAESolicitar", strings.Replace(invoice(number-1), `"PtoVta":1`, `"PtoVta":2`, 1))
	}
	if n := countIn(t, log, spoilt); n != 1 {
		t.Errorf("told %d times that the trail is spoilt", n)
	}
	for range 3 {
		postReal(s, "FECompTotXRequest", "{"+authText+"}")
	}
	if n := countIn(t, log, told); n != 1 {
		t.Errorf("told %d times that a real service answers", n)
	}
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	s.load(caddyfile)
	postReal(s, "FECompTotXRequest", "{"+authText+"}")
	s.post("FECAESolicitar", strings.Replace(invoice(3), `"PtoVta":1`, `"PtoVta":2`, 1))
	if real, invented := countIn(t, log, told), countIn(t, log, spoilt); real != 2 || invented != 1 {
		t.Errorf("after a restart told %d times that a real service answers, %d that the trail is spoilt", real, invented)
	}
	refusedFor(t, s.config(s.withAudit(replaying), proxyTo(upstream.URL)), "the built-in service has issued")
}

// TestAnInventedAnswerIsNotRecordedWithoutItsMark: as with any record that cannot be written, the
// client gets its answer, nothing else is issued, and both are written as soon as they can be.
func TestAnInventedAnswerIsNotRecordedWithoutItsMark(t *testing.T) {
	for _, policy := range []string{"refuse", "forward"} {
		t.Run(policy, func(t *testing.T) {
			next := withBackend(t)
			s := startFailing(t, next, "on_failure "+policy)
			refuseSettings(true)
			defer refuseSettings(false)
			got := s.post("FECAESolicitar", invoice(1))
			if got.at(t, "/FeCabResp/Resultado") != `"A"` || !strings.HasPrefix(got.header.Get("Wsfev1-Unrecorded"), "pending") {
				t.Errorf("%d %v %s", got.status, got.header, got.body)
			}
			for _, r := range kept(t) {
				if r.Kind != audit.KindIntent {
					t.Errorf("recorded without the mark: %s", r.Outcome)
				}
			}
			again := s.post("FECAESolicitar", invoice(2))
			if refused := again.status == 503; refused != (policy == "refuse") {
				t.Errorf("the next one: %d %s", again.status, again.body)
			}
			refuseSettings(false)
			eventually(t, "what is owed is written", func() bool {
				last := kept(t)
				return last[len(last)-1].Kind == audit.KindOutcome && s.metric("wsfev1_audit_pending_outcomes") == "0"
			})
			refusedFor(t, s.config("audit failing", proxyTo("127.0.0.1:1")), "the built-in service has issued", "another file")
		})
	}
}

// TestACopyOfInventedCAEsDoesNotStartEither, nor does another gateway that shares its store.
func TestACopyOfInventedCAEsDoesNotStartEither(t *testing.T) {
	s, _ := stoppedTrail(t)
	log := s.last().Log
	database, file := emptyDatabase(t), filepath.Join(t.TempDir(), "copy.db")
	for _, way := range [][2]string{{"sqlite:" + s.store, database}, {database, "sqlite:" + file}} {
		if out, errs, err := auditCommand("copy", "--from", way[0], "--to", way[1]); err != nil {
			t.Fatalf("%v\n%s%s", err, out, errs)
		}
	}
	t.Setenv("FIELATO_TEST_DSN", strings.TrimPrefix(database, "postgres:"))
	const remedy = "Give audit another database for the real service"
	for name, key := range map[string]string{log: s.store + ".key", "another": filepath.Join(t.TempDir(), "key")} {
		audit := fmt.Sprintf("audit postgres {env.FIELATO_TEST_DSN} {\n   node %s\n   key %s\n  }", name, key)
		refusedFor(t, s.config(audit, proxyTo("127.0.0.1:1")), "issued into the log "+log, remedy)
		s.load(s.config(audit, withBackend(t)))
	}
	audit := "audit sqlite " + file + " {\n   key " + s.store + ".key\n  }"
	refusedFor(t, s.config(audit, proxyTo("127.0.0.1:1")), "sqlite:"+file, "issued into the log "+log, "another file")
}
