package command_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa"
)

const keptCuit = "20111111112"

// keepingSite is a gateway that keeps a ticket, with an admin API.
type keepingSite struct {
	*caddytest.Administered
	login *caddytest.Login
	next  string
}

// startKeeping starts a gateway whose logins fail with a code, no text for not. It returns when the first
// has ended.
func startKeeping(t *testing.T, code string) *keepingSite {
	t.Helper()
	k := &keepingSite{login: caddytest.NewLogin(t, keptCuit), next: caddytest.WithBackend(t)}
	k.fail(code)
	k.Administered = caddytest.StartAdministered(t, k.next, nil, k.login.Block("cuits "+keptCuit))
	k.attempts(t, 1)
	return k
}

func (k *keepingSite) fail(code string) {
	k.login.Change(func(s *wsaatest.Service) { s.Failure = code })
}

// attempts waits until there have been so many logins, and the gateway knows the result of the last.
func (k *keepingSite) attempts(t *testing.T, want int) {
	t.Helper()
	caddytest.Eventually(t, "a login", func() bool { return len(k.login.Attempts()) >= want })
	caddytest.Eventually(t, "its result", func() bool {
		shown := k.Ask("GET", "/wsfev1/tickets", "")
		return shown.Status == 200 && (shown.At(t, "/tickets/0/pause") != "null" || shown.At(t, "/tickets/0/ready") == "true")
	})
	if got := len(k.login.Attempts()); got != want {
		t.Errorf("%d logins, want %d", got, want)
	}
}

// now runs `login --now` in a process of its own.
func (k *keepingSite) now(t *testing.T, arguments string) result {
	t.Helper()
	process := caddytest.CommandProcess(t, "wsfev1 login --now --address "+k.Admin+" "+arguments)
	var out, errs strings.Builder
	process.Stdout, process.Stderr = &out, &errs
	err := process.Run()
	return result{out.String(), errs.String(), err}
}

// ends checks how a process has ended.
func ends(t *testing.T, got result, status int, texts ...string) {
	t.Helper()
	ended := 0
	if got.err != nil {
		exit, is := got.err.(interface{ ExitCode() int })
		if !is {
			t.Fatal(got.err)
		}
		ended = exit.ExitCode()
	}
	if ended != status {
		t.Errorf("status %d, want %d\n%s%s", ended, status, got.out, got.errs)
	}
	for _, text := range texts {
		if !strings.Contains(got.out+got.errs, text) {
			t.Errorf("no %q in\n%s%s", text, got.out, got.errs)
		}
	}
}

// TestLoginNowEndsThePause that a person has mended. Neither waiting nor a reload does.
func TestLoginNowEndsThePause(t *testing.T) {
	k := startKeeping(t, wsaa.NotAuthorized)
	ends(t, k.now(t, "--cuit 20-11111111-2"), 1, "coe.notAuthorized", "Administrador de Relaciones", "tries by itself at")
	k.fail("")
	k.Reload(k.next, nil, k.login.Block("cuits "+keptCuit), "ticket off") // an unchanged block
	if got := k.Post("FECompTotXRequest", `{"Auth":{"Cuit":`+keptCuit+`}}`); got.Status != http.StatusServiceUnavailable {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	k.attempts(t, 2)
	ends(t, k.now(t, ""), 0, "The gateway has logged in", "CN=fielato", keptCuit, k.login.URL+wsaa.Path)
	k.attempts(t, 3)
	if shown := k.Ask("GET", "/wsfev1/tickets", ""); shown.At(t, "/tickets/0/cuit") != keptCuit || shown.At(t, "/tickets/0/alias") != `"fielato"` {
		t.Errorf("%s", shown.Body)
	}
	if got := k.Post("FECompTotXRequest", `{"Auth":{"Cuit":`+keptCuit+`}}`); got.Status != 200 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	ends(t, k.now(t, ""), 1, "gave a ticket a moment ago", "coe.alreadyAuthenticated", "logs in by itself at", "the ticket at hand stays in use")
	got := k.now(t, "--format json")
	ends(t, got, 1, `"result":"waiting"`, `"ready":true`)
	noSecrets(t, got)
	k.attempts(t, 3)
	if told := k.Metric(`wsfev1_kept_ticket_events_total{event="asked"}`); told == "" || told == "0" {
		t.Errorf("%q times asked", told)
	}
}

// TestLoginNowWaitsForTheWindow that the authority demands.
func TestLoginNowWaitsForTheWindow(t *testing.T) {
	k := startKeeping(t, wsaa.AlreadyAuthenticated)
	k.fail("")
	for range 3 {
		ends(t, k.now(t, ""), 1, "coe.alreadyAuthenticated", "logs in by itself at", "nothing makes it sooner")
	}
	k.attempts(t, 1)
	k.fail(wsaa.LoginUnavailable)
	k = startKeeping(t, wsaa.LoginUnavailable)
	ends(t, k.now(t, ""), 2, "wsaa.unavailable", "logs in by itself at")
	k.attempts(t, 1)
}

// TestAChangedBlockBeginsWithoutThePause.
func TestAChangedBlockBeginsWithoutThePause(t *testing.T) {
	k := startKeeping(t, wsaa.NotAuthorized)
	k.fail("")
	k.Reload(k.next, nil, k.login.Block("cuits "+keptCuit+" 30500010912"))
	k.attempts(t, 2)
	var shown caddytest.Response
	caddytest.Eventually(t, "the ticket is at hand", func() bool {
		shown = k.Ask("GET", "/wsfev1/tickets", "")
		return shown.At(t, "/tickets/0/ready") == "true"
	})
	if shown.At(t, "/tickets/0/ticket/missing") != "[30500010912]" {
		t.Errorf("%s", shown.Body)
	}
	ends(t, k.now(t, "--cuit 30500010912"), 1, "gave a ticket a moment ago")
}

// TestLoginNowSaysWhichTicketIsMeant, and refuses what cannot be.
func TestLoginNowSaysWhichTicketIsMeant(t *testing.T) {
	k := startKeeping(t, wsaa.NotAuthorized)
	other := caddytest.NewLogin(t, "30500010912")
	k.Reload(k.next, nil, k.login.Block("cuits "+keptCuit), other.Block("cuits 30500010912 30000000007"))
	caddytest.Eventually(t, "a login", func() bool { return len(other.Attempts()) == 1 })
	ends(t, k.now(t, ""), 2, "keeps several tickets", keptCuit+" (certificate fielato at", "30500010912 (certificate fielato at")
	ends(t, k.now(t, "--cuit 30000000007"), 1, "certificate fielato, CUIT 30500010912, until ", "gave a ticket a moment ago")
	ends(t, k.now(t, other.URL), 1, "certificate fielato, CUIT 30500010912, until ")
	ends(t, k.now(t, "--certificate "+other.Certificate), 1, "certificate fielato, CUIT 30500010912, until ")
	ends(t, k.now(t, "--service wsfe --cuit 30000000015"), 2, "no certificate of the running configuration is meant by that")
	ends(t, k.now(t, "prod"), 2, "no certificate of the running configuration")
	ends(t, k.now(t, "--service ws_sr_padron_a13"), 2, "no certificate of the running configuration")
	ends(t, k.now(t, "somewhere"), 2, "use homo, prod or the address")
	ends(t, k.now(t, "homo prod"), 2, "one argument too many")
	ends(t, k.now(t, "--key k --cuit "+keptCuit), 2, "--key: leave it out")
	ends(t, k.now(t, "--cuit 20-1"), 2, "not a CUIT")
	if len(k.login.Attempts()) != 1 || len(other.Attempts()) != 1 {
		t.Errorf("%d and %d logins", len(k.login.Attempts()), len(other.Attempts()))
	}
	for body, want := range map[string]int{
		`{"cuit":20111111112,"more":1}`: 400, `{"login":"https://x:y@z"}`: 400, `{`: 400, `{}`: 409, `{"cuit":1}`: 404, `{"certificate":"fielato"}`: 409,
	} {
		if got := k.Ask("POST", "/wsfev1/tickets/login", body); got.Status != want || strings.Contains(string(got.Body), "x:y") {
			t.Errorf("%s: %d %s", body, got.Status, got.Body)
		}
	}
	if got := k.Ask("GET", "/wsfev1/tickets/login", ""); got.Status != http.StatusMethodNotAllowed {
		t.Errorf("%d", got.Status)
	}
	k.Reload(k.next, nil)
	ends(t, k.now(t, ""), 2, "the running configuration has no wsaa")
	if got := k.Ask("GET", "/wsfev1/tickets", ""); got.Status != 404 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}

// TestNobodysPageLetsAGatewayLogIn: the admin API refuses another origin.
func TestNobodysPageLetsAGatewayLogIn(t *testing.T) {
	k := startKeeping(t, wsaa.NotAuthorized)
	for _, header := range []http.Header{{"Origin": {"https://evil.example"}}, {"Sec-Fetch-Mode": {"no-cors"}}, {"Origin": {"null"}}} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+k.Admin+"/wsfev1/tickets/login", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = header
		if got := k.Do(r); got.Status != http.StatusForbidden && got.Status != http.StatusBadRequest {
			t.Errorf("%v: %d %s", header, got.Status, got.Body)
		}
	}
	k.attempts(t, 1)
}

// TestLoginNowFindsTheProcess as reload does: by the configuration, by the folder, by an address.
func TestLoginNowFindsTheProcess(t *testing.T) {
	k := startKeeping(t, wsaa.AlreadyAuthenticated)
	t.Chdir(t.TempDir())
	write := func(file, text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	paused := func(line string) {
		t.Helper()
		if got := words("login --now " + line); got.status() != 1 || !strings.Contains(got.err.Error(), "coe.alreadyAuthenticated") {
			t.Errorf("%s: status %d: %v", line, got.status(), got.err)
		}
	}
	write("other.caddyfile", "{\n admin "+k.Admin+"\n}\n")
	paused("--config other.caddyfile")
	write("config.json", `{"admin":{"listen":"`+k.Admin+`"}}`)
	paused("--config config.json")
	write("Caddyfile", "{\n admin "+k.Admin+"\n}\n")
	paused("")
	paused("--config nowhere --address " + k.Admin)
	stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"result":"granted"}`)) }))
	t.Cleanup(stranger.Close)
	write("off.caddyfile", "{\n admin off\n}\n")
	for line, want := range map[string]string{
		"--config nowhere.caddyfile":                               "--config",
		"--config off.caddyfile":                                   "turns the admin API off",
		"--address 127.0.0.1:1":                                    "name the admin API of the process that runs with --address",
		"--address " + strings.TrimPrefix(stranger.URL, "http://"): "is not a gateway that keeps tickets",
		"--address unix/" + filepath.Join(t.TempDir(), "no.sock"):  "no such file",
	} {
		if got := words("login --now " + line); got.status() != 2 || !strings.Contains(got.err.Error(), want) {
			t.Errorf("%s: status %d: %v", line, got.status(), got.err)
		}
	}
	for _, line := range []string{"login homo --cuit 20111111112 --certificate a --key b", "login homo --address x --certificate a --key b"} {
		if got := words(line); got.status() != 2 || !strings.Contains(got.err.Error(), "it is for --now") {
			t.Errorf("%s: status %d: %v", line, got.status(), got.err)
		}
	}
	k.attempts(t, 1)
}
