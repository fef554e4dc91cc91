package trail_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestAGatewayThatEndsTheRecordingOfReadsSaysSo: the setting is one for all gateways of a database.
func TestAGatewayThatEndsTheRecordingOfReadsSaysSo(t *testing.T) {
	s := caddytest.NewSite(t)
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv(dsnVariable, strings.TrimPrefix(caddytest.EmptyDatabase(t), "postgres:"))
	load := func(node string, options ...string) {
		options = append(options, caddytest.TrailOption+"key "+filepath.Join(t.TempDir(), "key"))
		caddyfile := s.Config(sharedAudit(node, options...), caddytest.ProxyTo("127.0.0.1:1"))
		s.Load(strings.Replace(caddyfile, "{\n", "{\n log {\n"+caddytest.LogTo(log)+" }\n", 1))
	}
	const told = "nobody who reads any log of this database is recorded any more"
	load("edge-1")
	load("edge-2", caddytest.LogReads)
	if n := countIn(t, log, told); n != 0 {
		t.Errorf("told %d times before anything was turned off", n)
	}
	load("edge-3")
	load("edge-4")
	if n := countIn(t, log, told); n != 1 {
		t.Errorf("told %d times, want once", n)
	}
}
