package trail_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

func TestAdminSaysWhatIsWrongWithAClock(t *testing.T) {
	s := caddytest.StartAdministered(t, caddytest.WithBackend(t), nil)
	for _, test := range []struct {
		method, body string
		status       int
		want         string
	}{
		{"PUT", ``, 400, "reading the body"},
		{"PUT", `{"mode":"fixed"`, 400, "reading the body"},
		{"PUT", `{"mode":"system"} {}`, 400, "reading the body"},
		{"PUT", `{"mode":"system","Mode":"fixed"}`, 400, "Mode"},
		{"PUT", `{"mode":"fixed","time":20261120}`, 400, "/time"},
		{"PUT", `{"mode":"system","now":"2026-11-20T12:00:00-03:00"}`, 400, "now"},
		{"PUT", `{}`, 400, `unknown clock "": use system, fixed or offset`},
		{"PUT", `{"mode":"sundial"}`, 400, `unknown clock "sundial": use system, fixed or offset`},
		{"PUT", `{"mode":"fixed"}`, 400, `"" is not a time`},
		{"PUT", `{"mode":"fixed","time":"20261120"}`, 400, `"20261120" is not a time`},
		{"PUT", `{"mode":"fixed","time":"0001-01-01T00:00:00Z"}`, 400, "from 2000 to 2100"},
		{"PUT", `{"mode":"fixed","time":"2026-11-20T12:00:00-03:00","offset":"1h"}`, 400, "fixed takes a time alone"},
		{"PUT", `{"mode":"offset","offset":"soon"}`, 400, `"soon" is not a duration`},
		{"PUT", `{"mode":"offset","offset":"876000h"}`, 400, "from 2000 to 2100"},
		{"PUT", `{"mode":"system","offset":"1h"}`, 400, "system takes nothing"},
		{"PUT", strings.Repeat(" ", 2<<20), 400, "too large"},
		{"POST", `{"mode":"system"}`, 405, "use GET or PUT"},
		{"PATCH", `{"mode":"system"}`, 405, "use GET or PUT"},
		{"DELETE", ``, 405, "use GET or PUT"},
	} {
		got := s.Ask(test.method, "/wsfev1/backend/clock", test.body)
		if got.Status != test.status || !strings.Contains(got.Refusal(t), test.want) {
			t.Errorf("%s %.60s: %d %s, want %d with %q", test.method, test.body, got.Status, got.Body, test.status, test.want)
		}
		if allow := got.Header.Get("Allow"); test.status == 405 && allow != "GET, PUT" {
			t.Errorf("%s: Allow %q", test.method, allow)
		}
	}
	if got := s.Ask("GET", "/wsfev1/backend/clock", ""); got.Status != 200 || got.At(t, "/mode") != `"system"` {
		t.Errorf("what was refused has moved the clock: %d %s", got.Status, got.Body)
	}
}

// TestAdminWithoutABackend: a gateway in front of a real service has no clock to move.
func TestAdminWithoutABackend(t *testing.T) {
	s := caddytest.StartAdministered(t, "respond `"+caddytest.Approval+"`", nil)
	for _, method := range []string{"GET", "PUT"} {
		got := s.Ask(method, "/wsfev1/backend/clock", `{"mode":"fixed","time":"2026-11-20T12:00:00-03:00"}`)
		if got.Status != 404 || got.Refusal(t) != "the running configuration has no wsfev1_backend" {
			t.Errorf("%s: %d %s", method, got.Status, got.Body)
		}
	}
	// Nor is there one left of the configuration before.
	ledger := "ledger sqlite " + filepath.Join(t.TempDir(), "ledger.db")
	s.Reload("wsfev1_backend {\n"+ledger+"\nclock fixed 2026-11-02T12:00:00-03:00\n}", nil)
	if got := s.Ask("GET", "/wsfev1/backend/clock", ""); got.Status != 200 || got.At(t, "/mode") != `"fixed"` {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	s.Reload("respond `"+caddytest.Approval+"`", nil)
	if got := s.Ask("GET", "/wsfev1/backend/clock", ""); got.Status != 404 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}
