package trail_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestAskingAnotherGatewayIsNoError in its log: commands ask at the usual address first, where
// the gateway of another trail may run.
func TestAskingAnotherGatewayIsNoError(t *testing.T) {
	s := caddytest.ReadsLogged(t)
	log := filepath.Join(t.TempDir(), "caddy.log")
	s.Reload(caddytest.WithBackend(t), func(config string) string {
		return strings.Replace(config, "{\n", "{\n\tlog {\n"+caddytest.LogTo(log)+"\t}\n", 1)
	}, caddytest.LogReads)
	for range 3 {
		got := s.Ask("POST", "/wsfev1/audit/reads", `{"log":"elsewhere","public_key":"key","who":"ana@host","what":"audit search"}`)
		if got.Status != 404 || !strings.Contains(got.Refusal(t), "does not write the log elsewhere") {
			t.Errorf("%d %s", got.Status, got.Body)
		}
	}
	text, err := os.ReadFile(log)
	if err != nil || !strings.Contains(string(text), "/wsfev1/audit/reads") || strings.Contains(string(text), `"error"`) {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestTestsAskNoGatewayOfTheMachine: one may run at Caddy's own address.
func TestTestsAskNoGatewayOfTheMachine(t *testing.T) {
	if !strings.HasPrefix(caddy.DefaultAdminListen, "unix/") {
		t.Errorf("the admin API is asked for at %s", caddy.DefaultAdminListen)
	}
}
