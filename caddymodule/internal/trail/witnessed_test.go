package trail_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"golang.org/x/mod/sumdb/note"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/cosignature"
)

// logKey returns the public key of the gateway's log, which its key file has.
func logKey(t *testing.T, s *caddytest.Site) string {
	t.Helper()
	key, err := audit.ParseKey(strings.TrimSpace(contentOf(t, s.Store+".key")))
	if err != nil {
		t.Fatal(err)
	}
	return key.Verifier()
}

// unquoted is a text of the admin API's answer.
var unquoted = strings.NewReplacer(`\n`, "\n", `"`, "").Replace

// TestAWitnessCosigns the checkpoints of a gateway at its start, at work and at its stop; the admin API and the
// metrics tell of it.
func TestAWitnessCosigns(t *testing.T) {
	w := caddytest.NewWitness(t, "testigo.example/w1")
	s := caddytest.StartAdministered(t, caddytest.WithBackend(t), nil)
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	w.Start(logKey(t, s.Site))
	options := []string{w.Option(" 1s"), caddytest.TrailOption + "require_witnesses"}
	load := func() {
		t.Helper()
		s.Load(s.WithAdmin(s.Config(s.WithAudit(options...), caddytest.WithBackend(t))))
	}
	load()
	witness, err := cosignature.ParseVerifier(w.Public)
	if err != nil {
		t.Fatal(err)
	}
	cosigned := func() (size uint64, at time.Time) {
		got := s.Ask("GET", "/wsfev1/audit", "")
		signed := []byte(unquoted(got.At(t, "/logs/0/cosigned_checkpoint")))
		opened, err := note.Open(signed, note.VerifierList(witness))
		if err != nil {
			t.Fatalf("%v\n%s", err, got.Body)
		}
		checkpoint, err := audit.OpenCheckpoint(signed, logKey(t, s.Site))
		if err != nil {
			t.Fatal(err)
		}
		if at, err = cosignature.Time(opened.Sigs[0]); err != nil {
			t.Fatal(err)
		}
		return checkpoint.Size, at
	}
	if size, at := cosigned(); size != 2 || time.Since(at) > time.Minute {
		t.Errorf("at the start %d records are cosigned, at %v", size, at)
	}
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	caddytest.Eventually(t, "the new records are cosigned", func() bool { size, _ := cosigned(); return size == 4 })
	caddytest.Eventually(t, "the metrics say so", func() bool {
		return s.Metric(`wsfev1_audit_witness_size{witness="testigo.example/w1"}`) == "4"
	})
	if at := s.Metric(`wsfev1_audit_witness_timestamp_seconds{witness="testigo.example/w1"}`); at == "" || at == "0" {
		t.Errorf("signed at %q", at)
	}
	options[0] = w.Option(" 1h")
	load()
	s.Post("FECAESolicitar", caddytest.Invoice(2))
	load() // the old one has it cosigned for the last time
	if size, _ := cosigned(); size != 6 {
		t.Errorf("after the reload %d records are cosigned", size)
	}
	got := s.Ask("GET", "/wsfev1/audit", "")
	if got.At(t, "/logs/0/witnesses/0/witness") != `"testigo.example/w1"` || got.At(t, "/logs/0/witnesses/0/records") != "6" ||
		got.At(t, "/logs/0/witnesses/0/problem") != `""` || got.At(t, "/logs/0/witnesses/0/place") != `"`+w.URL+`"` {
		t.Errorf("%s", got.Body)
	}
	w.Stop()
	err = caddytest.LoadCaddyfile(s.WithAdmin(s.Config(s.WithAudit(options...), caddytest.WithBackend(t))))
	if err == nil || !strings.Contains(err.Error(), "0 of 1 witnesses have signed") {
		t.Errorf("a start without a witness that is required: %v", err)
	}
}

// TestAWitnessShowsThatAnOlderCopyWasRestored: with everything of the gateway's, its key and what stands beside it. The
// start is refused and names both sizes, and the proof is kept: it does not start without the witness either.
func TestAWitnessShowsThatAnOlderCopyWasRestored(t *testing.T) {
	w := caddytest.NewWitness(t, "testigo.example/w1")
	s := caddytest.Start(t, caddytest.WithBackend(t))
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	w.Start(logKey(t, s))
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	older := filepath.Join(t.TempDir(), "older.db")
	copyStore(t, s.Store, older)
	if err := restart(s, w.Option("")); err != nil {
		t.Fatal(err)
	}
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	restore := func() {
		t.Helper()
		copyStore(t, older, s.Store)
		if tips, err := filepath.Glob(s.Store + ".key.*.tip"); err != nil || len(tips) != 1 || os.Remove(tips[0]) != nil {
			t.Fatalf("%v, %v", tips, err)
		}
	}
	restore()
	for _, options := range [][]string{{w.Option("")}, nil} {
		err := restart(s, options...)
		if err == nil || !strings.Contains(err.Error(), "has 2 records, and had 4") || !strings.Contains(err.Error(), ".witnessed") {
			t.Fatalf("with %v: %v", options, err)
		}
	}
	kept, err := filepath.Glob(s.Store + ".key.*.witnessed")
	if err != nil || len(kept) != 1 || !strings.Contains(contentOf(t, kept[0]), "\n4\n") || !strings.Contains(contentOf(t, kept[0]), "— testigo.example/w1 ") {
		t.Fatalf("%v, %v", kept, err)
	}
	out, errs, err := caddytest.AuditCommand("continue-after-restore", "--store", "sqlite:"+s.Store, "--reason", "disk-failed")
	if err != nil || !strings.Contains(errs, kept[0]) {
		t.Fatalf("%v\n%s%s", err, out, errs)
	}
	if err := restart(s); err != nil {
		t.Errorf("in a new log: %v", err)
	}
}

// TestAWitnessStopsAGatewayAtWork that went on from an older copy while the witness was not reached.
func TestAWitnessStopsAGatewayAtWork(t *testing.T) {
	w := caddytest.NewWitness(t, "testigo.example/w1")
	s := caddytest.StartAdministered(t, caddytest.WithBackend(t), nil)
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	public := logKey(t, s.Site)
	w.Start(public)
	older := filepath.Join(t.TempDir(), "older.db")
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	copyStore(t, s.Store, older)
	if err := restart(s.Site, w.Option("")); err != nil {
		t.Fatal(err)
	}
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	w.Stop()
	copyStore(t, older, s.Store)
	if tips, err := filepath.Glob(s.Store + ".key.*.tip"); err != nil || len(tips) != 1 || os.Remove(tips[0]) != nil {
		t.Fatalf("%v, %v", tips, err)
	}
	s.Load(s.WithAdmin(s.Config(s.WithAudit(w.Option(" 1s")), caddytest.WithBackend(t))))
	for range 5 {
		if got := s.Post("FEDummy", "{}"); got.Status != 200 {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
	}
	w.Start(public)
	caddytest.Eventually(t, "it is not ready any more", func() bool { return s.Ask("GET", "/wsfev1/ready", "").Status == 503 })
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != 503 {
		t.Errorf("it goes on: %d %s", got.Status, got.Body)
	}
	got := s.Ask("GET", "/wsfev1/audit", "")
	if problem := got.At(t, "/logs/0/problem"); got.At(t, "/logs/0/degraded") != "true" || !strings.Contains(problem, "with 4 records") || !strings.Contains(problem, "another history") {
		t.Errorf("%s", got.Body)
	}
	if got := s.Metric(`wsfev1_audit_witness_requests_total{result="unsound",witness="testigo.example/w1"}`); got == "0" || got == "" {
		t.Errorf("the metric says %q", got)
	}
}

// TestAWitnessThatHangsHoldsNoExchangeUp, at a start that does not need it and afterwards.
func TestAWitnessThatHangsHoldsNoExchangeUp(t *testing.T) {
	hangs := make(chan struct{})
	asked := make(chan struct{}, 1000)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-hangs:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(hangs) })
	w := caddytest.NewWitness(t, "testigo.example/w1")
	w.URL = server.URL
	s := caddytest.StartAdministered(t, caddytest.WithBackend(t), nil, w.Option(" 1s"))
	<-asked // at the start
	<-asked // one is under way
	for i := range 10 {
		if got := s.Post("FECAESolicitar", caddytest.Invoice(1+i)); got.Status != 200 || got.Header.Get("Wsfev1-Record") == "" {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
	}
	got := s.Ask("GET", "/wsfev1/audit", "")
	if problem := got.At(t, "/logs/0/witnesses/0/problem"); !strings.Contains(problem, "does not answer") || got.At(t, "/logs/0/degraded") != "false" {
		t.Errorf("%s", got.Body)
	}
}
