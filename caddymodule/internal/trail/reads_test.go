package trail_test

import (
	"fmt"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/audit"
	auditsqlite "github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/audittest"
)

// readOverAdmin runs a command that reads the trail.
func readOverAdmin(s *caddytest.Administered, command string, arguments ...string) (out string, err error) {
	out, _, err = caddytest.AuditCommand(append([]string{command, "--store", "sqlite:" + s.Store, "--admin", s.Admin}, arguments...)...)
	return out, err
}

// TestWhoReadsTheTrailIsWrittenDown by the gateway, each command once, with who, when and
// what; and is found only when it is asked for.
func TestWhoReadsTheTrailIsWrittenDown(t *testing.T) {
	s := caddytest.ReadsLogged(t)
	who, err := user.Current()
	if err != nil {
		t.Skip("the system does not say who runs this")
	}
	host, _ := os.Hostname()
	for i, test := range []struct {
		command   string
		arguments []string
		want      string
	}{
		{"search", []string{"--cuit", "20111111112", "--limit", "3"}, "audit search --cuit=20111111112 --limit=3"},
		{"show", []string{"1", "--raw"}, "audit show --raw=true 1"},
		{"stats", []string{"--by", "day", "--identity", "Ana María"}, `audit stats --by=day --identity="Ana María"`},
		{"evidence", []string{
			"--cuit", "20111111112", "--pto-vta", "1", "--cbte-tipo", "6", "--nro", "1", "--output", filepath.Join(t.TempDir(), "e"),
		}, "audit evidence --cbte-tipo=6 --cuit=20111111112 --nro=1 --pto-vta=1"},
		{"search", []string{"--cae", caddytest.Token + strings.Repeat("x", 100), "--id", audit.Origin("PRIVATE+KEY+")}, "audit search --cae=(124 bytes) --id=fielato/PRIVATE%2BKEY%2B"},
	} {
		if out, err := readOverAdmin(s, test.command, test.arguments...); err != nil {
			t.Fatalf("%s: %v %s", test.command, err, out)
		}
		all := s.Accesses()
		if len(all) != i+1 {
			t.Fatalf("%s: %d records of access, want %d", test.command, len(all), i+1)
		}
		r := all[i]
		if r.Detail != test.want || r.ClientIdentity != who.Username+"@"+host || r.ClientAddress == "" || r.ID == "" || r.Time.IsZero() {
			t.Errorf("written down: %+v\nwant %s by %s@%s", r, test.want, who.Username, host)
		}
	}
	if out, err := readOverAdmin(s, "search"); err != nil || strings.Count(out, "\n") != 2 {
		t.Errorf("%v: access among the exchanges:\n%s", err, out)
	}
	if out, err := readOverAdmin(s, "stats"); err != nil || !strings.Contains(out, "total           1") {
		t.Errorf("%v: access among the counts:\n%s", err, out)
	}
	out, err := readOverAdmin(s, "search", "--kind", "access", "--limit", "1")
	// It shows itself: it was written down before.
	if err != nil || !strings.Contains(out, "IDENTITY") || !strings.Contains(out, "audit search --kind=access --limit=1") {
		t.Errorf("%v: %s", err, out)
	}
	index := s.Accesses()[0].Index
	if out, err := readOverAdmin(s, "show", fmt.Sprint(index)); err != nil || !strings.Contains(out, "(access)") || !strings.Contains(out, "what      audit search --cuit") {
		t.Errorf("%v: %s", err, out)
	}
	if text := fmt.Sprintf("%+v", s.Accesses()); strings.Contains(text, caddytest.Token) {
		t.Error("a credential was written down")
	}
}

// TestReadsAreWrittenDownWithoutAGateway by the command itself, with the key beside the
// store, and the log is sound afterwards.
func TestReadsAreWrittenDownWithoutAGateway(t *testing.T) {
	s := caddytest.ReadsLogged(t)
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	if out, err := readOverAdmin(s, "search"); err != nil || !strings.Contains(out, "FECAESolicitar") {
		t.Fatalf("%v: %s", err, out)
	}
	all := s.Accesses()
	if len(all) != 1 || all[0].Detail != "audit search" || all[0].ClientAddress != "" {
		t.Fatalf("written down: %+v", all)
	}
	// Elsewhere is the key as well.
	moved := filepath.Join(t.TempDir(), "key")
	if err := os.Rename(s.Store+".key", moved); err != nil {
		t.Fatal(err)
	}
	out, err := readOverAdmin(s, "search")
	if err == nil || out != "" {
		t.Fatalf("shown without being written down: %v %s", err, out)
	}
	for _, want := range []string{"nothing is shown", "--admin", "--key-file", s.Store + ".key"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %s in: %v", want, err)
		}
	}
	if out, err := readOverAdmin(s, "stats", "--key-file", moved); err != nil || out == "" {
		t.Errorf("%v: %s", err, out)
	}
	if all := s.Accesses(); len(all) != 2 || all[1].Detail != "audit stats --key-file=…" {
		t.Errorf("written down: %+v", all)
	}
	store, err := auditsqlite.OpenReader(s.Store)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	text, err := os.ReadFile(moved)
	if err != nil {
		t.Fatal(err)
	}
	key, err := audit.ParseKey(string(text))
	if err != nil {
		t.Fatal(err)
	}
	audittest.VerifyWith(t, store, all[0].Log, key.Verifier())
}

// TestWhatCannotBeWrittenDownIsNotShown: the gateway runs and is not reached.
func TestWhatCannotBeWrittenDownIsNotShown(t *testing.T) {
	s := caddytest.ReadsLogged(t)
	reached := s.Admin
	s.Admin = caddytest.FreeAddress(t)
	for _, command := range [][]string{{"search"}, {"show", "1"}, {"stats"}, {"tail"}} {
		out, err := readOverAdmin(s, command[0], command[1:]...)
		if err == nil || out != "" || !strings.Contains(err.Error(), s.Admin) || !strings.Contains(err.Error(), "another process writes this trail") {
			t.Errorf("%v: %v %s", command, err, out)
		}
	}
	s.Admin = strings.TrimPrefix(s.Metrics, "http://") // something else answers there
	if out, err := readOverAdmin(s, "search"); err == nil || out != "" {
		t.Errorf("not written down and shown: %v %s", err, out)
	}
	s.Admin = "http://" + reached + "/" // as people write it
	if _, err := readOverAdmin(s, "search"); err != nil {
		t.Error(err)
	}
	if all := s.Accesses(); len(all) != 1 {
		t.Errorf("written down: %+v", all)
	}
}

// TestLogReadsFollowsTheConfiguration that runs, through reloads and one that fails.
func TestLogReadsFollowsTheConfiguration(t *testing.T) {
	s := caddytest.ReadsLogged(t)
	want := func(when string, n int) {
		t.Helper()
		if out, err := readOverAdmin(s, "search"); err != nil || out == "" {
			t.Fatalf("%s: %v %s", when, err, out)
		}
		if got := len(s.Accesses()); got != n {
			t.Fatalf("%s: %d records of access, want %d", when, got, n)
		}
	}
	want("on", 1)
	next := caddytest.WithBackend(t)
	with := func(options string) string { return s.WithAdmin(s.Config(options, next)) }
	s.Load(with(s.WithAudit()))
	want("off", 1)
	if err := caddytest.LoadCaddyfile(with(s.WithAudit(caddytest.LogReads)) + "http://" + caddytest.FreeAddress(t) + " {\n\tbind " + caddytest.Loopback + "\n\twsfev1 {\n\t\taudit sqlite " +
		s.Store + "/no/folder.db\n\t}\n\trespond ok\n}\n"); err == nil {
		t.Fatal("a configuration with a store that cannot be opened starts")
	}
	want("off, after a configuration that failed", 1)
	s.Load(with(s.WithAudit(caddytest.LogReads)))
	want("on again", 2)
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	want("on, and stopped", 3)
	if err := caddytest.LoadCaddyfile(with(s.WithAudit(caddytest.LogReads)) + "http://" + caddytest.FreeAddress(t) + " {\n\tbind " + caddytest.Loopback + "\n\twsfev1 {\n\t\taudit sqlite " +
		s.Store + "\n\t}\n\trespond ok\n}\n"); err == nil || !strings.Contains(err.Error(), "set it for both or for none") {
		t.Errorf("two handlers that disagree: %v", err)
	}
}

// TestAdminSaysWhatIsWrongWithARead, and writes nothing down then.
func TestAdminSaysWhatIsWrongWithARead(t *testing.T) {
	s := caddytest.ReadsLogged(t)
	log := s.Records()[0].Log
	body := func(log, key, who, what string) string {
		return fmt.Sprintf(`{"log":%q,"public_key":%q,"who":%q,"what":%q}`, log, key, who, what)
	}
	for _, test := range []struct {
		method, body string
		status       int
		want         string
	}{
		{"GET", "", 405, "use POST"},
		{"POST", "", 400, "reading the body"},
		{"POST", `{"log":"a","secret":"b"}`, 400, `no member "secret"`},
		{"POST", body("elsewhere", "key", "ana@host", "audit search"), 404, "does not write the log elsewhere"},
		{"POST", body(log, "other", "ana@host", "audit search"), 404, "with the key other"},
		{"POST", body(log, "key", "", "audit search"), 400, "who: give a text"},
		{"POST", body(log, "key", "ana@host", strings.Repeat("a", 5000)), 400, "what: give a text of at most 4096 bytes"},
		{"POST", body(log, "key", "\u3164\u2800", "a"), 400, "who: give a text with a letter or digit that can be seen"},
	} {
		got := s.Ask(test.method, "/wsfev1/audit/reads", test.body)
		if got.Status != test.status || !strings.Contains(got.Refusal(t), test.want) {
			t.Errorf("%s %.80s: %d %s, want %d %s", test.method, test.body, got.Status, got.Body, test.status, test.want)
		}
	}
	if all := s.Accesses(); len(all) != 0 {
		t.Errorf("written down: %+v", all)
	}
}

// TestAGatewayThatHangsIsNotWaitedForForever: nothing is shown, and it is said why.
func TestAGatewayThatHangsIsNotWaitedForForever(t *testing.T) {
	t.Parallel()
	s := caddytest.StartProcess(t, caddytest.WithBackend(t), caddytest.LogReads)
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	listener, err := net.Listen("tcp", "127.0.0.1:0") // which takes connections and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	out, _, err := caddytest.AuditCommand("search", "--store", "sqlite:"+s.Store, "--admin", listener.Addr().String())
	if err == nil || out != "" || !strings.Contains(err.Error(), "asking the gateway at "+listener.Addr().String()+": no answer within ") {
		t.Errorf("%v\n%s", err, out)
	}
}
