package trail_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// replaying is what these tests are about: what was answered is answered again.
const replaying = "replay on"

// refusedFor loads a configuration that must not start, and looks why it does not.
func refusedFor(t *testing.T, caddyfile string, reasons ...string) {
	t.Helper()
	err := caddytest.LoadCaddyfile(caddyfile)
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
	upstream := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
	next := caddytest.WithBackend(t)
	s := caddytest.Start(t, next, replaying)
	simulated := s.Config(s.WithAudit(replaying), next)
	issued := s.Post("FECAESolicitar", caddytest.Invoice(1))
	if r := s.Last(); r.Upstream != "wsfev1_backend" || r.Outcome != "approved" {
		t.Errorf("recorded %s of %q", r.Outcome, r.Upstream)
	}
	out, _, err := caddytest.AuditCommand("search", "--store", "sqlite:"+s.Store, "--format", "json")
	if err != nil || !strings.Contains(out, `"upstream":"wsfev1_backend"`) {
		t.Errorf("search: %v\n%s", err, out)
	}

	real := s.Config(s.WithAudit(replaying), caddytest.ProxyTo(upstream.URL))
	reasons := []string{
		"audit sqlite:" + s.Store + ": the built-in service has issued into the log " + s.Last().Log,
		"invented", "Give audit another file for the real service, or put wsfev1_backend back",
	}
	refusedFor(t, real, reasons...)
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Header.Get("Wsfev1-Outcome") != "replayed" || string(got.Body) != string(issued.Body) {
		t.Errorf("the configuration before: %v %s", got.Header, got.Body)
	}
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	refusedFor(t, real, reasons...)
	s.Load(simulated)
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Header.Get("Wsfev1-Outcome") != "replayed" {
		t.Errorf("the built-in service again: %v %s", got.Header, got.Body)
	}

	s.Store = filepath.Join(t.TempDir(), "real.db")
	real = s.Config(s.WithAudit(replaying), caddytest.ProxyTo(upstream.URL))
	s.Load(real)
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); string(got.Body) != caddytest.Approval || upstream.Hits.Load() != 1 {
		t.Errorf("%d requests: %s", upstream.Hits.Load(), got.Body)
	}
	if r := s.Last(); r.Upstream != strings.TrimPrefix(upstream.URL, "http://") {
		t.Errorf("recorded of %q", r.Upstream)
	}
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	s.Load(real)
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Header.Get("Wsfev1-Outcome") != "replayed" || upstream.Hits.Load() != 1 {
		t.Errorf("%d requests: %v %s", upstream.Hits.Load(), got.Header, got.Body)
	}
}

// TestQuestionsToTheBuiltInServiceSpoilNoTrail: there is nothing in it to be given again as issued.
func TestQuestionsToTheBuiltInServiceSpoilNoTrail(t *testing.T) {
	upstream := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
	s := caddytest.Start(t, caddytest.WithBackend(t), replaying)
	for operation, body := range map[string]string{
		"FEDummy": "{}", "FECompUltimoAutorizado": "{" + caddytest.AuthText + `,"PtoVta":1,"CbteTipo":6}`,
		"FECAESolicitar": strings.Replace(caddytest.Invoice(1), "121.00", "999.00", 1), // the gateway refuses it
	} {
		s.Post(operation, body)
	}
	s.Load(s.Config(s.WithAudit(replaying), caddytest.ProxyTo(upstream.URL)))
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); string(got.Body) != caddytest.Approval {
		t.Errorf("%s", got.Body)
	}
}

// TestARecoveredInventedAnswerSpoilsATrail, also where a handler in between has changed the body.
func TestARecoveredInventedAnswerSpoilsATrail(t *testing.T) {
	s := caddytest.Start(t, "route {\n request_body {\n max_size 1MB\n }\n"+caddytest.WithFaults(t, caddytest.FaultOnce("drop"))+"\n}", "recover within 20s")
	got := s.Post("FECAESolicitar", caddytest.Invoice(1))
	r := s.Last()
	if got.Header.Get("Wsfev1-Outcome") != "recovered" || r.Outcome != "recovered" || r.Upstream != "wsfev1_backend" {
		t.Errorf("recorded %s of %q: %v %s", r.Outcome, r.Upstream, got.Header, got.Body)
	}
	refusedFor(t, s.Config(s.WithAudit(), caddytest.ProxyTo("127.0.0.1:1")), "the built-in service has issued")
}

// TestWhatTheBuiltInServiceSaysOfALostRequestSpoilsATrail: what became of a request that went to
// a real service is then settled with an invoice of that number that the other one has.
func TestWhatTheBuiltInServiceSaysOfALostRequestSpoilsATrail(t *testing.T) {
	upstream := caddytest.NewStub(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	next := caddytest.WithBackend(t)
	s := caddytest.Start(t, next)
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	s.Store = filepath.Join(t.TempDir(), "real.db")
	s.Load(s.Config(s.WithAudit("recover within 100ms"), caddytest.ProxyTo(upstream.URL)))
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != 504 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	s.Load(s.Config(s.WithAudit("recover within 20s"), next))
	const recovered = `wsfev1_recoveries_total{result="recovered"}`
	before := s.Metric(recovered)
	s.Post("FECompTotXRequest", "{"+caddytest.AuthText+"}") // lends its credentials
	caddytest.Eventually(t, "a settlement", func() bool { return s.Metric(recovered) == caddytest.Plus(t, before, 1) })
	refusedFor(t, s.Config(s.WithAudit(), caddytest.ProxyTo(upstream.URL)), "the built-in service has issued")
}

// TestABuiltInServiceElsewhereExcusesNoSpoiltTrail: it answers in front of a trail of its own.
func TestABuiltInServiceElsewhereExcusesNoSpoiltTrail(t *testing.T) {
	upstream := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
	s := caddytest.Start(t, caddytest.WithBackend(t))
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	trial := "http://" + caddytest.FreeAddress(t) + " {\n\tbind " + caddytest.Loopback + "\n\twsfev1 {\n\t\taudit sqlite " + filepath.Join(t.TempDir(), "trial.db") + "\n\t}\n\t" + caddytest.WithBackend(t) + "\n}\n"
	refusedFor(t, s.Config(s.WithAudit(), caddytest.ProxyTo(upstream.URL))+trial, "the built-in service has issued")
	s.Load(s.Config(s.WithAudit(), caddytest.WithBackend(t)) + trial)
}

// realAndBuiltIn is a configuration in which the header X-Real leads to a real service, all else to
// the built-in one; its log is a file.
func realAndBuiltIn(t *testing.T, s *caddytest.Site, upstream string) (caddyfile, log string) {
	log = filepath.Join(t.TempDir(), "log")
	next := "reverse_proxy @real " + upstream + "\n" + caddytest.WithBackend(t)
	caddyfile = s.Config(s.WithAudit(replaying), "@real header X-Real 1\nroute {\n"+next+"\n}")
	return strings.Replace(caddyfile, "{\n", "{\n log {\n"+caddytest.LogTo(log)+" }\n", 1), log
}

func postReal(s *caddytest.Site, operation, body string) caddytest.Response {
	r := s.Request(s.T.Context(), operation, body)
	r.Header.Set("X-Real", "1")
	return s.Do(r)
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
	upstream := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
	s := caddytest.NewSite(t)
	caddyfile, log := realAndBuiltIn(t, s, upstream.URL)
	s.Load(caddyfile)
	const told, spoilt = "a real service answers in front of a trail", "the built-in service answers in front of a trail"
	postReal(s, "FECAESolicitar", caddytest.Invoice(1))
	if n := countIn(t, log, told) + countIn(t, log, spoilt); n != 0 {
		t.Errorf("told %d times of a real trail", n)
	}
	// The invented answer comes into a trail that has a real one.
	for number := 2; number < 4; number++ {
		s.Post("FECAESolicitar", strings.Replace(caddytest.Invoice(number-1), `"PtoVta":1`, `"PtoVta":2`, 1))
	}
	if n := countIn(t, log, spoilt); n != 1 {
		t.Errorf("told %d times that the trail is spoilt", n)
	}
	for range 3 {
		postReal(s, "FECompTotXRequest", "{"+caddytest.AuthText+"}")
	}
	if n := countIn(t, log, told); n != 1 {
		t.Errorf("told %d times that a real service answers", n)
	}
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	s.Load(caddyfile)
	postReal(s, "FECompTotXRequest", "{"+caddytest.AuthText+"}")
	s.Post("FECAESolicitar", strings.Replace(caddytest.Invoice(3), `"PtoVta":1`, `"PtoVta":2`, 1))
	if real, invented := countIn(t, log, told), countIn(t, log, spoilt); real != 2 || invented != 1 {
		t.Errorf("after a restart told %d times that a real service answers, %d that the trail is spoilt", real, invented)
	}
	refusedFor(t, s.Config(s.WithAudit(replaying), caddytest.ProxyTo(upstream.URL)), "the built-in service has issued")
}

// TestAnInventedAnswerIsNotRecordedWithoutItsMark: as with any record that cannot be written, the
// client gets its answer, nothing else is issued, and both are written as soon as they can be.
func TestAnInventedAnswerIsNotRecordedWithoutItsMark(t *testing.T) {
	for _, policy := range []string{"refuse", "forward"} {
		t.Run(policy, func(t *testing.T) {
			next := caddytest.WithBackend(t)
			s := caddytest.StartFailing(t, next, "on_failure "+policy)
			refuseSettings(true)
			defer refuseSettings(false)
			got := s.Post("FECAESolicitar", caddytest.Invoice(1))
			if got.At(t, "/FeCabResp/Resultado") != `"A"` || !strings.HasPrefix(got.Header.Get("Wsfev1-Unrecorded"), "pending") {
				t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
			}
			for _, r := range caddytest.Kept(t) {
				if r.Kind != audit.KindIntent {
					t.Errorf("recorded without the mark: %s", r.Outcome)
				}
			}
			again := s.Post("FECAESolicitar", caddytest.Invoice(2))
			if refused := again.Status == 503; refused != (policy == "refuse") {
				t.Errorf("the next one: %d %s", again.Status, again.Body)
			}
			refuseSettings(false)
			caddytest.Eventually(t, "what is owed is written", func() bool {
				last := caddytest.Kept(t)
				return last[len(last)-1].Kind == audit.KindOutcome && s.Metric("wsfev1_audit_pending_outcomes") == "0"
			})
			refusedFor(t, s.Config("audit failing", caddytest.ProxyTo("127.0.0.1:1")), "the built-in service has issued", "another file")
		})
	}
}

// TestACopyOfInventedCAEsDoesNotStartEither, nor does another gateway that shares its store.
func TestACopyOfInventedCAEsDoesNotStartEither(t *testing.T) {
	s, _ := caddytest.StoppedTrail(t)
	log := s.Last().Log
	database, file := caddytest.EmptyDatabase(t), filepath.Join(t.TempDir(), "copy.db")
	for _, way := range [][2]string{{"sqlite:" + s.Store, database}, {database, "sqlite:" + file}} {
		if out, errs, err := caddytest.AuditCommand("copy", "--from", way[0], "--to", way[1]); err != nil {
			t.Fatalf("%v\n%s%s", err, out, errs)
		}
	}
	t.Setenv("FIELATO_TEST_DSN", strings.TrimPrefix(database, "postgres:"))
	const remedy = "Give audit another database for the real service"
	for name, key := range map[string]string{log: s.Store + ".key", "another": filepath.Join(t.TempDir(), "key")} {
		audit := fmt.Sprintf("audit postgres {env.FIELATO_TEST_DSN} {\n   node %s\n   key %s\n  }", name, key)
		refusedFor(t, s.Config(audit, caddytest.ProxyTo("127.0.0.1:1")), "issued into the log "+log, remedy)
		s.Load(s.Config(audit, caddytest.WithBackend(t)))
	}
	audit := "audit sqlite " + file + " {\n   key " + s.Store + ".key\n  }"
	refusedFor(t, s.Config(audit, caddytest.ProxyTo("127.0.0.1:1")), "sqlite:"+file, "issued into the log "+log, "another file")
}

// TestTheBuiltInServiceDoesNotStartBesideARealTrail: once it had issued there, no gateway of the database would
// start in front of a real service.
func TestTheBuiltInServiceDoesNotStartBesideARealTrail(t *testing.T) {
	upstream := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
	s := caddytest.NewSite(t)
	t.Setenv(dsnVariable, strings.TrimPrefix(caddytest.EmptyDatabase(t), "postgres:"))
	config := func(node, next string) string {
		return s.Config(sharedAudit(node, replaying, caddytest.TrailOption+"key "+filepath.Join(t.TempDir(), "key")), next)
	}
	real, builtIn := config("real", caddytest.ProxyTo(upstream.URL)), config("trial", caddytest.WithBackend(t))
	s.Load(builtIn) // nothing was issued yet
	s.Load(real)
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	refusedFor(t, builtIn, "another service has issued into the log real", "Give audit another database for the built-in service, or remove wsfev1_backend")
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Header.Get("Wsfev1-Outcome") != "replayed" {
		t.Errorf("the configuration before: %v %s", got.Header, got.Body)
	}
}
