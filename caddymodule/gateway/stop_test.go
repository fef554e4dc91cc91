package gateway_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestAStopIsNotSilent: it waits for an exchange under way, and says so.
func TestAStopIsNotSilent(t *testing.T) {
	upstream, arrived, release := caddytest.Holding(t)
	log := filepath.Join(t.TempDir(), "log")
	s := caddytest.NewSite(t)
	s.Load(strings.Replace(s.Config(s.WithAudit(), caddytest.ProxyTo(upstream.URL)), "{\n", "{\n log {\n"+caddytest.LogTo(log)+" }\n", 1))
	logged := func(part string) func() bool {
		return func() bool {
			text, err := os.ReadFile(log)
			return err == nil && strings.Contains(string(text), part)
		}
	}
	done := caddytest.HeldRequest(t, s, arrived)
	stopped := make(chan error, 1)
	go func() { stopped <- caddy.Stop() }()
	caddytest.Eventually(t, "the stop is explained", logged(`"exchanges":1,"operations":{"FECAESolicitar":1}`))
	release()
	if got := <-done; got.Status != 200 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}
