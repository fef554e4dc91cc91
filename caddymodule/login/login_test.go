package login_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsfev1"
)

// TestAClientLogsInAndIssues: the strict service takes the tickets of the login service, and
// nothing else that looks like one.
func TestAClientLogsInAndIssues(t *testing.T) {
	s := caddytest.Start(t, services(t.TempDir(), "represents 30-50001091-2 20111111112"))
	own := granted(t, post(s, message(t, wsaatest.NewClient(t, wsaatest.Spec{}))))
	if refused := issue(t, s, 1, own); refused != "" {
		t.Fatalf("its own ticket: %s", refused)
	}
	represented := granted(t, post(s, message(t, wsaatest.NewClient(t, wsaatest.Spec{Subject: wsaatest.Subject("30500010912", "otra")}))))
	if refused := issue(t, s, 2, represented); refused != "" {
		t.Errorf("the ticket of one who represents it: %s", refused)
	}
	stranger := granted(t, post(s, message(t, wsaatest.NewClient(t, wsaatest.Spec{Subject: wsaatest.Subject("27300000006", "otra")}))))
	token, sign, err := wsaa.NewTicket(now(t), time.Hour, "wsfe", 20111111112)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		ticket
		want string
	}{
		"of another CUIT":       {stranger, "lista de relaciones"},
		"of the command ticket": {ticket{token, sign}, "El Sign no es la firma"},
		"the Sign of another":   {ticket{own.Token, represented.Sign}, "El Sign no es la firma"},
		"no ticket":             {ticket{caddytest.Token, caddytest.Sign}, "no es un ticket"},
	} {
		if refused := issue(t, s, 3, test.ticket); !strings.Contains(refused, "600") || !strings.Contains(refused, test.want) {
			t.Errorf("%s: %s", name, refused)
		}
	}
}

// TestAServiceWithoutLoginTakesAnyReadableTicket, as it always did.
func TestAServiceWithoutLoginTakesAnyReadableTicket(t *testing.T) {
	_, backend, _ := strings.Cut(services(t.TempDir()), "wsfev1_backend")
	s := caddytest.Start(t, "wsfev1_backend"+backend)
	token, sign, err := wsaa.NewTicket(now(t), time.Hour, "wsfe", 20111111112)
	if err != nil {
		t.Fatal(err)
	}
	if refused := issue(t, s, 1, ticket{token, sign}); refused != "" {
		t.Error(refused)
	}
}

// TestReloadsAndRestarts: a reload forgets nothing, a restart keeps the key.
func TestReloadsAndRestarts(t *testing.T) {
	folder := t.TempDir()
	s := caddytest.NewSite(t)
	load := func(options ...string) { s.Load(s.Config(s.WithAudit(), services(folder, options...))) }
	load("window 10m")
	login := message(t, wsaatest.NewClient(t, wsaatest.Spec{}))
	first := granted(t, post(s, login))
	if code := fault(t, post(s, login)); code != "coe.alreadyAuthenticated" {
		t.Errorf("a second login: %s", code)
	}
	load("window 5m", "life 1h")
	if code := fault(t, post(s, login)); code != "coe.alreadyAuthenticated" {
		t.Errorf("after a reload: %s", code)
	}
	if refused := issue(t, s, 1, first); refused != "" {
		t.Errorf("after a reload: %s", refused)
	}
	load()
	second := granted(t, post(s, login))
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	s.URL, s.Metrics = "http://"+caddytest.FreeAddress(t), "http://"+caddytest.FreeAddress(t)
	load("window 10m")
	for i, kept := range []ticket{first, second, granted(t, post(s, login))} {
		if refused := issue(t, s, 2+i, kept); refused != "" {
			t.Errorf("ticket %d after a restart: %s", i, refused)
		}
	}
}

// TestTheClockOfTheServiceJudges: tickets and requests go by the clock that was moved.
func TestTheClockOfTheServiceJudges(t *testing.T) {
	s := caddytest.StartAdministered(t, services(t.TempDir()), nil, "ticket off")
	client := wsaatest.NewClient(t, wsaatest.Spec{})
	login := message(t, client)
	held := granted(t, post(s.Site, login))
	for at, want := range map[string]string{
		"2026-11-22T03:00:00-03:00": "xml.generationTime.invalid",
		"2026-11-22T03:55:25-03:00": "xml.expirationTime.expired",
		"2025-12-31T20:59:59-03:00": "cms.cert.invalid",
		"2027-01-01T00:00:00-03:00": "cms.cert.expired",
	} {
		if got := s.Ask("PUT", "/wsfev1/backend/clock", `{"mode":"fixed","time":"`+at+`"}`); got.Status != 200 {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		got := post(s.Site, login)
		if code := fault(t, got); code != want {
			t.Errorf("at %s: %s, want %s", at, code, want)
		}
		if date, err := http.ParseTime(got.Header.Get("Date")); err != nil || date.In(wsfev1.Argentina).Format(time.RFC3339) != at {
			t.Errorf("at %s the answer is of %v: a client cannot correct its clock", at, got.Header["Date"])
		}
	}
	s.Ask("PUT", "/wsfev1/backend/clock", `{"mode":"fixed","time":"2026-11-22T15:45:25-03:00"}`)
	if refused := issue(t, s.Site, 1, held); !strings.Contains(refused, "venció") {
		t.Errorf("an expired ticket: %s", refused)
	}
}

// TestTheKeyAndItsCertificate: the gateway checks tickets with the certificate as it does with the
// authority's.
func TestTheKeyAndItsCertificate(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	s := caddytest.NewSite(t)
	s.Load(s.Config(s.WithAudit(), services(folder)))
	held := granted(t, post(s, message(t, wsaatest.NewClient(t, wsaatest.Spec{}))))
	key, err := os.Stat(filepath.Join(folder, "login.key"))
	if err != nil || key.Mode().Perm() != 0o600 {
		t.Fatalf("%v %v", key, err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "login.crt"))
	if err != nil {
		t.Fatal(err)
	}
	authority, err := wsaa.ParseAuthority(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := wsaa.VerifySign(authority, held.Token, held.Sign); err != nil {
		t.Error(err)
	}
	s.Load(s.Config(s.WithAudit("ticket check "+filepath.Join(folder, "login.crt")), services(folder)))
	if refused := issue(t, s, 1, held); refused != "" {
		t.Error(refused)
	}
	foreign, err := wsaa.NewIssuer()
	if err != nil {
		t.Fatal(err)
	}
	if wsaa.VerifySign(foreign.Certificate(), held.Token, held.Sign) == nil {
		t.Error("another key has signed it")
	}
}

// TestAKeyThatCannotBeUsedKeepsTheServiceFromStarting, and the error says what to do.
func TestAKeyThatCannotBeUsedKeepsTheServiceFromStarting(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "login.key")
	s := caddytest.NewSite(t)
	for _, test := range []struct {
		mode os.FileMode
		want string
	}{{0o644, "chmod 600"}, {0o600, "no private key in PEM"}} {
		if err := os.WriteFile(file, []byte("no key\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, test.mode); err != nil {
			t.Fatal(err)
		}
		err := caddytest.LoadCaddyfile(s.Config(s.WithAudit(), services(folder)))
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), file) {
			t.Errorf("%o: %v", test.mode, err)
		}
	}
}

// TestTwoLoginServicesShareTheirKey.
func TestTwoLoginServicesShareTheirKey(t *testing.T) {
	caddytest.InEmptyFolder(t)
	for _, test := range []struct{ second, want string }{
		{"key login.key", ""},
		{"key ./login.key", ""},
		{"key other.key", "another wsfev1_wsaa of this configuration has another key"},
	} {
		err := caddytest.Provision(t, []byte("http://localhost:80 {\n wsfev1_wsaa {\n key login.key\n }\n wsfev1_wsaa /b* {\n "+test.second+"\n }\n respond ok\n}\n"))
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v", test.second, err)
		}
	}
}

// TestValidateSaysWhatToDo about the options of JSON.
func TestValidateSaysWhatToDo(t *testing.T) {
	caddytest.InEmptyFolder(t)
	for _, test := range []struct{ members, want string }{
		{`"life":1`, "life 1ns: a ticket lives from 1s to 10 years"},
		{`"life":-1`, "a ticket lives from 1s"},
		{`"window":-1`, "window is negative: give a duration such as 10m, or off"},
		{`"fail":"cms.good"`, `fail "cms.good": there is no such code: use cms.bad.base64, cms.bad,`},
		{`"services":["x"]`, `services: "x" is not the id of a service, such as wsfe`},
		{`"represents":{"20111111112":[20111111113]}`, "represents: 20111111113 is not a CUIT: its check digit"},
		{`"represents":{"7":[20111111112]}`, "represents: 7 is not a CUIT: give its eleven digits"},
		{`"public_url":"wsaahomo.afip.gov.ar"`, "give the address of a site, such as https://wsaahomo.afip.gov.ar"},
		{`"public_url":"https://example.com/x"`, "give the address of a site"},
		{`"trust":"no-such-file.pem"`, "trust: give open, or a PEM file with the certificates of the authorities"},
		{`"trust":"{env.FIELATO_NOT_SET}"`, "FIELATO_NOT_SET"},
		{`"key":"{env.FIELATO_NOT_SET}"`, "FIELATO_NOT_SET"},
		{`"clock":"fixed"`, "clock"},
	} {
		if err := caddytest.ValidateJSON(t, `{"handler":"wsfev1_wsaa",`+test.members+`}`); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.members, err, test.want)
		}
	}
	if err := caddytest.ValidateJSON(t, `{"handler":"wsfev1_wsaa","represents":{"20111111112":["30-50001091-2"]},"window":600000000000}`); err != nil {
		t.Error(err)
	}
}

// TestTrustedAuthorities: a file instead of open.
func TestTrustedAuthorities(t *testing.T) {
	folder := t.TempDir()
	edge := caddytest.NewEdgeAuthority(t)
	s := caddytest.Start(t, services(folder, "trust "+edge.File(t)))
	if code := fault(t, post(s, message(t, wsaatest.NewClient(t, wsaatest.Spec{})))); code != "cms.cert.untrusted" {
		t.Errorf("a stranger: %s", code)
	}
	if err := os.WriteFile(filepath.Join(folder, "ca.pem"), []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := caddytest.Provision(t, []byte("http://localhost:80 {\n wsfev1_wsaa {\n trust "+filepath.Join(folder, "ca.pem")+"\n }\n respond ok\n}\n"))
	if err == nil || !strings.Contains(err.Error(), "no PEM certificate") {
		t.Error(err)
	}
}

// TestAGatewayChecksTicketsFromTheFirstStart on, by the certificate that this start makes. To validate
// the configuration makes nothing, and a file that nobody makes is still refused.
func TestAGatewayChecksTicketsFromTheFirstStart(t *testing.T) {
	folder := t.TempDir()
	certificate := filepath.Join(folder, "login.crt")
	s := caddytest.NewSite(t)
	config := s.Config(s.WithAudit("ticket check "+certificate), services(folder))
	if err := caddytest.Provision(t, []byte(config)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(certificate); !os.IsNotExist(err) {
		t.Fatalf("validating has made the certificate: %v", err)
	}
	s.Load(config)
	own := granted(t, post(s, message(t, wsaatest.NewClient(t, wsaatest.Spec{}))))
	if refused := issue(t, s, 1, own); refused != "" {
		t.Errorf("its own ticket: %s", refused)
	}
	token, sign, err := wsaa.NewTicket(now(t), time.Hour, "wsfe", 20111111112)
	if err != nil {
		t.Fatal(err)
	}
	if refused := issue(t, s, 2, ticket{token, sign}); !strings.Contains(refused, "600") {
		t.Errorf("the ticket of another: %s", refused)
	}
	if r := s.Last(); r.Decision != "refuse" {
		t.Errorf("the gateway has let it pass: %s", r.Decision)
	}
	s.URL = "http://" + caddytest.FreeAddress(t)
	for _, wrong := range []string{s.Config(s.WithAudit("ticket check "+filepath.Join(folder, "other.crt")), services(folder)), s.Config(s.WithAudit("ticket check "+filepath.Join(folder, "other.crt")), "respond 200")} {
		if err := caddytest.Provision(t, []byte(wrong)); err == nil || !strings.Contains(err.Error(), "other.crt") {
			t.Errorf("%v", err)
		}
	}
}
