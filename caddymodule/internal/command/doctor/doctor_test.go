package doctor_test

import (
	"bytes"
	"context"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	_ "github.com/caddyserver/caddy/v2/modules/standard"
	"github.com/go-json-experiment/json"

	_ "github.com/fielato/fielato/caddymodule"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/caddymodule/internal/command/doctor"
)

// report is the output of the doctor, by check.
type report map[string][]line

type line struct{ Check, Status, Found, Cure string }

// examine runs the command about a Caddyfile in the current folder.
func examine(t *testing.T, caddyfile string) (report, error) {
	t.Helper()
	out, err := run(t, caddyfile, "--format", "json")
	r := report{}
	for text := range strings.Lines(out) {
		var l line
		if err := json.Unmarshal([]byte(text), &l, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		r[l.Check] = append(r[l.Check], l)
		if (l.Status == "ok") != (l.Cure == "") {
			t.Errorf("%+v", l)
		}
	}
	return r, err
}

func run(t *testing.T, caddyfile string, arguments ...string) (string, error) {
	t.Helper()
	return runWith(t.Context(), t, caddyfile, arguments...)
}

func runWith(ctx context.Context, t *testing.T, caddyfile string, arguments ...string) (string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "Caddyfile")
	if err := os.WriteFile(file, []byte(caddyfile), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd := doctor.Command()
	cmd.SilenceUsage, cmd.SilenceErrors = true, true // as Caddy has it for all commands
	cmd.SetArgs(append([]string{"--config", file}, arguments...))
	cmd.SetOut(&stdout)
	cmd.SetErr(&stderr)
	err := cmd.ExecuteContext(ctx)
	return stdout.String(), err
}

// want fails unless one line of a check has this status and text.
func (r report) want(t *testing.T, check, status, found string) {
	t.Helper()
	for _, l := range r[check] {
		if l.Status == status && strings.Contains(l.Found, found) {
			return
		}
	}
	t.Errorf("%s: %+v, want %s: %s", check, r[check], status, found)
}

// freeAddress returns an address on which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	return "127.0.0.1:" + caddytest.PortOf(caddytest.FreeAddress(t))
}

// config is a site at an address, with a trail in the current folder.
func config(address, audit, next string) string {
	return fmt.Sprintf("{\n\tadmin off\n\tpersist_config off\n}\nhttp://%s {\n\tbind 127.0.0.1\n\twsfev1 {\n\t\taudit sqlite %s\n\t}\n\t%s\n}\n", address, audit, next)
}

func serve(t *testing.T, status int, contentType, body string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/api/wsfev1/FEDummy" && r.URL.Path != "/api/wsfev1/FECompConsultar" || r.Header.Get("Authorization") != "" {
			t.Errorf("%s %s", r.Method, r.URL)
		}
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// serveSocket serves the service on a Unix socket.
func serveSocket(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "s.sock")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(dummy)) }))
	s.Listener.Close()
	s.Listener = l
	s.Start()
	t.Cleanup(s.Close)
	return path
}

const dummy = `{"AppServer":"OK","DbServer":"OK","AuthServer":"OK"}`

// TestUpstreams: which service answers, or why none does.
func TestUpstreams(t *testing.T) {
	t.Chdir(t.TempDir())
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	plain := serve(t, 200, "application/json", dummy)
	late := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", time.Now().Add(-time.Minute).UTC().Format(http.TimeFormat))
		_, _ = w.Write([]byte(dummy))
	}))
	t.Cleanup(late.Close)
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Wsfev1-Record", "north/1")
		_, _ = w.Write([]byte(dummy))
	}))
	t.Cleanup(gateway.Close)
	socket := serveSocket(t)
	authority := filepath.Join(t.TempDir(), "authority.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	if err := os.WriteFile(authority, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ next, check, status, found string }{
		"the service":   {"reverse_proxy " + plain, "upstream", "ok", "the service, with AppServer OK"},
		"its clock":     {"reverse_proxy " + plain, "clock", "ok", ""},
		"another clock": {"reverse_proxy " + late.URL, "clock", "warning", "differs by 1m"},
		"not well":      {"reverse_proxy " + serve(t, 200, "application/json", strings.Replace(dummy, `"DbServer":"OK"`, `"DbServer":"NO"`, 1)), "upstream", "warning", "which says AppServer OK, DbServer NO, AuthServer OK"},
		"a gateway":     {"reverse_proxy " + gateway.URL, "upstream", "warning", "another Fielato gateway"},
		"a proxy":       {"reverse_proxy " + serve(t, 502, "text/html", "<html>"), "upstream", "problem", "status 502, text/html, 6 bytes, no JSON"},
		"a redirect":    {"reverse_proxy " + serve(t, 301, "text/plain", ""), "upstream", "problem", "status 301"},
		"another site":  {"reverse_proxy " + serve(t, 421, "text/plain", "no"), "upstream", "problem", "status 421"},
		"known later":   {"reverse_proxy {http.request.header.X}", "upstream", "warning", "only when a request comes"},
		"a socket":      {"reverse_proxy unix/" + socket, "upstream", "ok", "the service, with AppServer OK"},
		"own authority": {"reverse_proxy " + secure.URL + " {\n transport http {\n tls_trust_pool file " + authority + "\n }\n}", "upstream", "warning", "no authority that this machine knows"},
		"unverified":    {"reverse_proxy " + secure.URL + " {\n transport http {\n tls_insecure_skip_verify\n }\n}", "upstream", "problem", "status 404"},
		"a page":        {"reverse_proxy " + serve(t, 200, "text/html", "<html>"), "upstream", "problem", "status 200, text/html, 6 bytes, no JSON"},
		"not found":     {"reverse_proxy " + serve(t, 404, "text/plain", ""), "upstream", "problem", "status 404"},
		"other JSON":    {"reverse_proxy " + serve(t, 200, "application/json", `{"status":"up"}`), "upstream", "problem", "JSON of another shape"},
		"empty":         {"reverse_proxy " + serve(t, 200, "text/plain", ""), "upstream", "problem", "0 bytes"},
		"nobody":        {"reverse_proxy " + freeAddress(t), "upstream", "problem", "nothing listens there"},
		"no name":       {"reverse_proxy nowhere.invalid", "upstream", "problem", "nowhere.invalid"},
		"TLS expected":  {"reverse_proxy " + strings.Replace(plain, "http:", "https:", 1), "upstream", "problem", "TLS"},
		"plain to TLS":  {"reverse_proxy " + strings.Replace(secure.URL, "https:", "http:", 1), "upstream", "problem", "status 400"},
		"authority":     {"reverse_proxy " + secure.URL, "upstream", "problem", "TLS"},
		"no service":    {"encode", "configuration", "problem", "no handler stands behind wsfev1"},
	} {
		r, err := examine(t, config(freeAddress(t), "audit.db", test.next))
		t.Log(name)
		r.want(t, test.check, test.status, test.found)
		if (test.status == "problem") != (err != nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTrails: before the first start, beside a gateway, and without what belongs to it.
func TestTrails(t *testing.T) {
	t.Chdir(t.TempDir())
	trail := filepath.Join(t.TempDir(), "audit.db")
	text := config(freeAddress(t), trail, "wsfev1_backend {\n\t\tledger sqlite "+filepath.Join(t.TempDir(), "ledger.db")+"\n\t}")
	r, err := examine(t, text)
	if err != nil {
		t.Errorf("before the first start: %v", err)
	}
	r.want(t, "configuration", "ok", "valid")
	r.want(t, "trail", "ok", "is not there yet")
	r.want(t, "signing key", "ok", "is made at the first start")
	r.want(t, "handlers", "ok", "wsfev1 → wsfev1_backend")
	r.want(t, "checkpoint", "warning", "kept nowhere else")
	r.want(t, "metrics", "warning", "the admin API is off")
	if entries, _ := os.ReadDir(filepath.Dir(trail)); len(entries) > 0 {
		t.Errorf("it has made %v", entries)
	}
	issue(t, text)
	r, err = examine(t, text)
	if err != nil {
		t.Errorf("after the first start: %v", err)
	}
	r.want(t, "trail", "ok", "opens; log ")
	r.want(t, "signing key", "ok", "0600")
	if runtime.GOOS != "windows" {
		if err := os.Chmod(trail+".key", 0o644); err != nil {
			t.Fatal(err)
		}
		r, err = examine(t, text)
		r.want(t, "signing key", "problem", "has the mode 0644")
		if err == nil {
			t.Error("a key that others may read is no problem")
		}
	}
	if err := os.Remove(trail + ".key"); err != nil {
		t.Fatal(err)
	}
	r, _ = examine(t, text)
	r.want(t, "signing key", "problem", "is not there")
	if err := os.WriteFile(trail, []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, _ = examine(t, text)
	r.want(t, "trail", "problem", trail)
}

// issue runs a gateway for one exchange.
func issue(t *testing.T, text string) {
	t.Helper()
	adapted, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := caddy.Load(adapted, true); err != nil {
		t.Fatal(err)
	}
	_, address, _ := strings.Cut(text, "http://")
	address, _, _ = strings.Cut(address, " ")
	resp, err := http.Post("http://"+address+"/api/wsfev1/FEDummy", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.Header.Get("Wsfev1-Record") == "" {
		t.Errorf("%d: no record", resp.StatusCode)
	}
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
}

// TestTheTableHasACureForEach line that is not as it should be, and the flags their status.
func TestTheTableHasACureForEach(t *testing.T) {
	t.Chdir(t.TempDir())
	out, err := run(t, config(freeAddress(t), "audit.db", "reverse_proxy "+freeAddress(t)))
	for _, want := range []string{"✔ configuration ", "✘ upstream ", "→ start the service", "! checkpoint", "→ write checkpoint_to"} {
		if !strings.Contains(out, want) {
			t.Errorf("%s\nlacks %q", out, want)
		}
	}
	if err == nil || !strings.Contains(err.Error(), "problems found: 1") {
		t.Errorf("%v", err)
	}
	if _, err := run(t, "", "--format", "xml"); err == nil || !strings.Contains(err.Error(), "use table or json") {
		t.Errorf("%v", err)
	}
	if _, err := run(t, "nonsense {"); err == nil {
		t.Error("a configuration that cannot be read is none")
	}
}

// TestTheMarksAreColouredOnRequest, with the same text.
func TestTheMarksAreColouredOnRequest(t *testing.T) {
	t.Chdir(t.TempDir())
	text := config(freeAddress(t), "audit.db", "reverse_proxy "+freeAddress(t))
	plain, _ := run(t, text)
	painted, _ := run(t, text, "--color", "always")
	for _, want := range []string{"\x1b[32m✔\x1b[39m configuration", "\x1b[33m!\x1b[39m checkpoint", "\x1b[31m✘\x1b[39m upstream"} {
		if !strings.Contains(painted, want) {
			t.Errorf("%q\nlacks %q", painted, want)
		}
	}
	if got := regexp.MustCompile("\x1b\\[\\d+m").ReplaceAllString(painted, ""); got != plain {
		t.Errorf("without colours\n%s\nin a pipe\n%s", got, plain)
	}
}

// TestAServiceThatHangs is given up after a while.
func TestAServiceThatHangs(t *testing.T) {
	t.Chdir(t.TempDir())
	end := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-end }))
	t.Cleanup(hanging.Close)
	t.Cleanup(func() { close(end) })
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	out, err := runWith(ctx, t, config(freeAddress(t), "audit.db", "reverse_proxy "+hanging.URL))
	if err == nil || !strings.Contains(out, "no answer within") {
		t.Errorf("%v\n%s", err, out)
	}
}
