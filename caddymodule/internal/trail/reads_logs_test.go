package trail_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// accessesIn returns what was written down about reading, by log.
func accessesIn(s *caddytest.SharedTrail) map[string]int {
	s.T.Helper()
	store := s.Open()
	defer store.Close()
	logs, err := store.Logs(s.T.Context())
	if err != nil {
		s.T.Fatal(err)
	}
	found := map[string]int{}
	for r, err := range audit.SearchLogs(s.T.Context(), store, logs, audit.Query{Kind: audit.KindAccess}) {
		if err != nil {
			s.T.Fatal(err)
		}
		found[r.Log]++
	}
	return found
}

// TestAReadIsWrittenIntoTheLogOfTheGatewayThatAnswers, whichever log it is about. A command with
// the key of --log writes it into the log of --log.
func TestAReadIsWrittenIntoTheLogOfTheGatewayThatAnswers(t *testing.T) {
	s := caddytest.TwoNodes(t)
	store := s.Open()
	if err := store.SetSetting(t.Context(), "log-reads", []byte("on")); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	file := func(log string) string {
		path := filepath.Join(t.TempDir(), log)
		if err := os.WriteFile(path, []byte(s.Keys[log].Private()+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	nobody := caddytest.FreeAddress(t)
	out, _, err := s.Run("search", "--admin", nobody, "--key-file", file("north"))
	if err == nil || out != "" || !strings.Contains(err.Error(), "nothing is shown") || !strings.Contains(err.Error(), "--log: north, south") {
		t.Errorf("by nobody: %v\n%s", err, out)
	}
	if _, _, err = s.Run("search", "--admin", nobody, "--log", "north", "--key-file", file("north")); err != nil {
		t.Errorf("with a key: %v", err)
	}
	if got := accessesIn(s); got["north"] != 1 || got["south"] != 0 {
		t.Errorf("with the key of north: %v", got)
	}
	admin := caddytest.FreeAddress(t)
	t.Setenv("FIELATO_TEST_DSN", s.DSN) // a password must not be in a configuration
	// It is this log's gateway that answers, and the other log that is read.
	err = caddytest.LoadCaddyfile(`{
	admin ` + admin + ` {
		origins ` + admin + `
	}
	persist_config off
}
http://` + caddytest.FreeAddress(t) + ` {
	wsfev1 {
		audit postgres {env.FIELATO_TEST_DSN} {
			node south
			key ` + file("south") + `
			log_reads
		}
	}
	respond 200
}
`)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// Or its admin API would stay.
		_ = caddytest.LoadCaddyfile("{\n admin off\n persist_config off\n}\n")
		_ = caddy.Stop()
	})
	for _, flags := range []string{"", "--log north"} {
		if _, _, err := s.Run("search", append(strings.Fields(flags), "--admin", admin)...); err != nil {
			t.Errorf("%q: %v", flags, err)
		}
	}
	if got := accessesIn(s); got["north"] != 1 || got["south"] != 2 {
		t.Errorf("by the gateway of south: %v", got)
	}
}
