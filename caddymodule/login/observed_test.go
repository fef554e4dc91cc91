package login_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/wsaatest"
)

// TestEachLoginIsLoggedAndCounted: who, for what, what became of it, and never the ticket.
func TestEachLoginIsLoggedAndCounted(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "default.log")
	s := caddytest.NewSite(t)
	config := s.Config(s.WithAudit(), services(folder))
	s.Load(strings.Replace(config, "{\n", "{\n\tlog {\n\t\t"+caddytest.LogTo(file)+"\n\t\tformat json\n\t\tlevel DEBUG\n\t}\n", 1))
	before := map[string]string{}
	for _, result := range []string{"granted", "cms.bad", "wsn.notFound", "Server.userException"} {
		before[result] = s.Metric(`wsfev1_wsaa_logins_total{result="` + result + `"}`)
	}
	long := strings.Repeat("ñ", 200)
	client := wsaatest.NewClient(t, wsaatest.Spec{Subject: wsaatest.Subject("20111111112", long)})
	held := granted(t, post(s, message(t, client)))
	fault(t, post(s, wsaatest.Envelope("aGVsbG8=")))
	fault(t, post(s, "x"))
	other := strings.Replace(wsaatest.Request(now(t)), "wsfe<", "wsmtxca<", 1)
	fault(t, post(s, wsaatest.Envelope(wsaatest.Base64(client.Sign(t, []byte(other), wsaatest.Form{}), "\n"))))
	for result, was := range before {
		if now := s.Metric(`wsfev1_wsaa_logins_total{result="` + result + `"}`); now == was || was == "" {
			t.Errorf("%s: %q before, %q now", result, was, now)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{held.Token.Reveal(), held.Sign.Reveal(), held.Token.Reveal()[:40], held.Sign.Reveal()[:40]} {
		if bytes.Contains(text, []byte(secret)) {
			t.Error("the log has a part of the ticket")
		}
	}
	var seen []loggedLogin
	for line := range bytes.Lines(text) {
		var l loggedLogin
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if l.Logger == "http.handlers.wsfev1_wsaa" && l.Result != "" {
			seen = append(seen, l)
		}
	}
	if len(seen) != 4 {
		t.Fatalf("%d lines: %+v", len(seen), seen)
	}
	for i, want := range []loggedLogin{
		{Level: "info", Result: "granted", CUIT: "20111111112", Service: "wsfe"},
		{Level: "warn", Result: "cms.bad"},
		{Level: "warn", Result: "Server.userException"},
		{Level: "warn", Result: "wsn.notFound", CUIT: "20111111112", Service: "wsmtxca"},
	} {
		got := seen[i]
		if got.Level != want.Level || got.Result != want.Result || got.CUIT != want.CUIT || got.Service != want.Service || got.Client == "" ||
			(got.Reason == "") != (want.Result == "granted") || (got.Expires == "") == (want.Result == "granted") {
			t.Errorf("line %d: %+v", i, got)
		}
		if (got.Subject == "") != (want.CUIT == "") || len(got.Subject) > 260 {
			t.Errorf("line %d: %d bytes of subject", i, len(got.Subject))
		}
	}
}

// loggedLogin is the line of a login.
type loggedLogin struct {
	Level   string `json:"level"`
	Logger  string `json:"logger"`
	Subject string `json:"subject"`
	CUIT    string `json:"cuit"`
	Service string `json:"service"`
	Client  string `json:"client"`
	Result  string `json:"result"`
	Reason  string `json:"reason"`
	Expires string `json:"expires"`
}

// TestTheAdminAPISetsFaults: it outlives a reload, and a window can be ended.
func TestTheAdminAPISetsFaults(t *testing.T) {
	next := services(t.TempDir(), "window 10m", "fail wsn.unavailable")
	s := caddytest.StartAdministered(t, next, nil)
	const path = "/wsfev1/backend/login"
	login := message(t, wsaatest.NewClient(t, wsaatest.Spec{}))
	if code := fault(t, post(s.Site, login)); code != "wsn.unavailable" {
		t.Errorf("as configured: %s", code)
	}
	if got := s.Ask("GET", path, ""); got.At(t, "/fail") != "null" || got.At(t, "/remembered") != "0" || !strings.Contains(string(got.Body), "BEGIN CERTIFICATE") {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	if got := s.Ask("PUT", path, `{"fail":"wsaa.internalError"}`); got.Status != 200 || got.At(t, "/fail") != `"wsaa.internalError"` {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	s.Reload(next, nil)
	if code := fault(t, post(s.Site, login)); code != "wsaa.internalError" {
		t.Errorf("as set: %s", code)
	}
	s.Ask("PUT", path, `{"fail":""}`)
	granted(t, post(s.Site, login))
	if code := fault(t, post(s.Site, login)); code != "coe.alreadyAuthenticated" {
		t.Errorf("again: %s", code)
	}
	if got := s.Ask("GET", path, ""); got.At(t, "/fail") != `""` || got.At(t, "/remembered") != "1" {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	if got := s.Ask("DELETE", path, ""); got.Status != 200 || got.At(t, "/fail") != "null" || got.At(t, "/remembered") != "0" {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	if code := fault(t, post(s.Site, login)); code != "wsn.unavailable" {
		t.Errorf("as configured again: %s", code)
	}
	for body, want := range map[string]string{
		`{"fail":"cms.good"}`: "there is no such code: use cms.bad.base64", `{"fails":""}`: `no member \"fails\"`, `x`: "reading the body",
	} {
		if got := s.Ask("PUT", path, body); got.Status != 400 || !strings.Contains(string(got.Body), want) {
			t.Errorf("%s: %d %s", body, got.Status, got.Body)
		}
	}
	s.Reload("respond ok", nil)
	if got := s.Ask("GET", path, ""); got.Status != 404 || !strings.Contains(string(got.Body), "no wsfev1_wsaa") {
		t.Errorf("without one: %d %s", got.Status, got.Body)
	}
}
