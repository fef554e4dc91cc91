package trail_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// losing is a gateway whose trail is in a folder of its own, and its log.
func losing(t *testing.T, next string, options ...string) (s *caddytest.Administered, folder string, logged func() string) {
	t.Helper()
	s = &caddytest.Administered{Site: caddytest.NewSite(t), Admin: caddytest.FreeAddress(t)}
	t.Cleanup(func() { s.Load("{\n admin off\n persist_config off\n}\n") })
	folder, log := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "log")
	s.Store = filepath.Join(folder, "audit.db")
	s.Reload(next, func(config string) string {
		return strings.Replace(config, "{\n", "{\n log {\n"+caddytest.LogTo(log)+" }\n", 1)
	}, options...)
	return s, folder, func() string {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

// TestNothingIsIssuedWithoutTheFilesOfTheTrail: a folder was removed under the gateway.
func TestNothingIsIssuedWithoutTheFilesOfTheTrail(t *testing.T) {
	upstream := caddytest.NewIssuing(t)
	s, folder, logged := losing(t, caddytest.ProxyTo(upstream.URL))
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != 200 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if got := s.Ask("GET", "/wsfev1/ready", ""); got.Status != 503 || !strings.Contains(got.Refusal(t), folder) {
		t.Errorf("ready before a request: %d %s", got.Status, got.Body)
	}
	failed := s.Metric(`wsfev1_audit_records_total{result="failed"}`)
	for number := 2; number <= 4; number++ {
		got := s.Post("FECAESolicitar", caddytest.Invoice(number))
		if got.Status != 503 || got.Codes(t)[0] != "audit.unavailable" || got.Header.Get("Wsfev1-Record") != "" {
			t.Errorf("invoice %d: %d %v %s", number, got.Status, got.Header, got.Body)
		}
		if n := upstream.TimesAsked(number); n != 0 {
			t.Errorf("invoice %d was sent %d times", number, n)
		}
	}
	if now := s.Metric(`wsfev1_audit_records_total{result="failed"}`); now == failed {
		t.Errorf("failed records: %s before and after", now)
	}
	wantAt(t, s.Ask("GET", "/wsfev1/audit", ""), map[string]string{"/logs/0/degraded": "true", "/logs/0/records": "2"})
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := s.Ask("GET", "/wsfev1/ready", ""); got.Status != 503 {
		t.Errorf("ready with an empty folder: %d %s", got.Status, got.Body)
	}
	if got := s.Post("FECAESolicitar", caddytest.Invoice(5)); got.Status != 503 {
		t.Errorf("an empty folder is gone on in: %d %s", got.Status, got.Body)
	}
	if n := strings.Count(logged(), "the files of the trail are gone: it accepts no record"); n != 1 {
		t.Errorf("the loss was logged %d times:\n%s", n, logged())
	}
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	if text := logged(); !strings.Contains(text, "the trail is closed without its files") {
		t.Errorf("nothing about it at the stop:\n%s", text)
	}
	if files, _ := os.ReadDir(folder); len(files) != 0 {
		t.Errorf("something was made in the new folder: %v", files)
	}
}

// TestForwardingWithoutTheFilesOfTheTrailAlarms: what waits will never be written.
func TestForwardingWithoutTheFilesOfTheTrailAlarms(t *testing.T) {
	upstream := caddytest.NewIssuing(t)
	s, folder, logged := losing(t, caddytest.ProxyTo(upstream.URL), caddytest.TrailOption+"on_failure forward")
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	for number := 1; number <= 3; number++ {
		got := s.Post("FECAESolicitar", caddytest.Invoice(number))
		if got.Status != 200 || !strings.HasPrefix(got.Header.Get("Wsfev1-Unrecorded"), "pending; exchange=") {
			t.Errorf("invoice %d: %d %v %s", number, got.Status, got.Header, got.Body)
		}
	}
	if n := strings.Count(logged(), "it was removed or replaced"); n < 3 { // the loss, the intent and, while others wait, the record
		t.Errorf("the alarms do not name the loss, or only %d of them:\n%s", n, logged())
	}
	wantAt(t, s.Ask("GET", "/wsfev1/audit", ""), map[string]string{"/logs/0/degraded": "true"})
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	if text := logged(); strings.Count(text, `"a record is lost"`) != 6 || !strings.Contains(text, "the trail is closed without its files") {
		t.Errorf("the lost records are not named at the stop:\n%s", text)
	}
}
