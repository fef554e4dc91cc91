package caddytest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/goleak"

	"github.com/fielato/fielato/internal/postgres/postgrestest"
	"github.com/fielato/fielato/internal/testrun"
)

// Main runs the tests of a package, or the part that the process has in them, and
// ends the process. It looks for goroutines that were left.
//
// TestMain's file imports caddymodule, and this package does not: otherwise it would be compiled
// again for each package that has tests of its own inside.
func Main(m *testing.M) {
	if testrun.Summarizes() || playRole() {
		return
	}
	// Caddy's own files stay out of the home folder.
	home, err := os.MkdirTemp("", "fielato")
	if err != nil {
		panic(err)
	}
	_ = os.Setenv("XDG_DATA_HOME", home)
	_ = os.Setenv("XDG_CONFIG_HOME", home)
	// No test asks or becomes the gateway at Caddy's own address: somebody may run one there. The
	// variable is for the processes that tests start.
	caddy.DefaultAdminListen = "unix/" + filepath.Join(home, "admin.sock")
	_ = os.Setenv("CADDY_ADMIN", caddy.DefaultAdminListen)
	unsink, err := sinkLogs()
	if err != nil {
		panic(err)
	}
	// certmagic's lock on its own storage is let go of a few seconds after it was given back.
	locks := goleak.IgnoreAnyFunction("github.com/caddyserver/certmagic.keepLockfileFresh")
	testrun.Main(m, func() {
		postgrestest.StopShared()
		_ = os.RemoveAll(home)
		unsink()
	}, locks)
}
