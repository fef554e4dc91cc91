package trail_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// lose stops the site and removes the files of the database, but not the files of its key.
func lose(s *caddytest.Site) {
	s.T.Helper()
	if err := caddy.Stop(); err != nil {
		s.T.Fatal(err)
	}
	for _, suffix := range []string{"", "-wal", "-shm", ".lock"} {
		if err := os.Remove(s.Store + suffix); err != nil && !os.IsNotExist(err) {
			s.T.Fatal(err)
		}
	}
}

// wantLostDatabase wants that the site does not begin a log with the key of another, and
// makes no database.
func wantLostDatabase(s *caddytest.Site, when string, options ...string) {
	s.T.Helper()
	for range 2 {
		err := restart(s, options...)
		if err == nil || !strings.Contains(err.Error(), s.Store) || !strings.Contains(err.Error(), "was the database lost") || !strings.Contains(err.Error(), "move the key away") {
			s.T.Fatalf("%s: %v", when, err)
		}
	}
}

// TestALostDatabaseIsNotBegunAnew: two histories would carry one signature, and what was issued
// before would be issued again.
func TestALostDatabaseIsNotBegunAnew(t *testing.T) {
	t.Setenv("FIELATO_TEST_KEY", caddytest.NewKey(t, "anything").Private())
	elsewhere := filepath.Join(t.TempDir(), "the.key")
	for name, options := range map[string][]string{
		"the key beside it":          nil,
		"the key elsewhere":          {caddytest.TrailOption + "key " + elsewhere},
		"the key in the environment": {caddytest.TrailOption + "key {env.FIELATO_TEST_KEY}"},
	} {
		s := caddytest.Start(t, caddytest.WithBackend(t), options...)
		s.Post("FECAESolicitar", caddytest.Invoice(1))
		lose(s)
		wantLostDatabase(s, name, options...)
		if _, err := os.Stat(s.Store); err == nil {
			t.Errorf("%s: an empty database was made", name)
		}
		// Nor is an empty file, or what a failed restoration left, taken for a new trail.
		if err := os.WriteFile(s.Store, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		wantLostDatabase(s, name+", an empty file", options...)
	}
}

// TestARestoredDatabaseGoesOn, and one that was moved with its key.
func TestARestoredDatabaseGoesOn(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t))
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	backup := filepath.Join(t.TempDir(), "backup.db")
	copyStore(t, s.Store, backup)
	lose(s)
	wantLostDatabase(s, "without the database")
	copyStore(t, backup, s.Store)
	if err := restart(s); err != nil {
		t.Fatal(err)
	}
	s.Post("FECAESolicitar", caddytest.Invoice(2))
	if got := len(s.Records()); got != 4 {
		t.Errorf("%d records, want 4", got)
	}
}

// TestANewTrailIsBegunOnPurpose: the key was moved away, as the error says.
func TestANewTrailIsBegunOnPurpose(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t))
	lose(s)
	if err := os.Rename(s.Store+".key", s.Store+".old-key"); err != nil {
		t.Fatal(err)
	}
	if err := restart(s); err != nil {
		t.Fatalf("with the key moved away: %v", err)
	}
	lose(s)
	wantLostDatabase(s, "and that trail was lost too")
}

// TestAKeyThatWasMadeByHandBeginsATrail, and so does the key of a first start that was interrupted.
func TestAKeyThatWasMadeByHandBeginsATrail(t *testing.T) {
	s := caddytest.NewSite(t)
	if err := os.WriteFile(s.Store+".key", []byte(caddytest.NewKey(t, "anything").Private()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := restart(s); err != nil {
		t.Fatal(err)
	}
	lose(s)
	wantLostDatabase(s, "now that it has signed a log")
}

// TestATrailOfAnEarlierBuildIsNoted: its key has no note yet.
func TestATrailOfAnEarlierBuildIsNoted(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t))
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(s.Store + ".key.used"); err != nil {
		t.Fatal(err)
	}
	if err := restart(s); err != nil {
		t.Fatal(err)
	}
	lose(s)
	wantLostDatabase(s, "after a start with this build")
}

// TestAWitnessKnowsALostTrail whose key is gone with it.
func TestAWitnessKnowsALostTrail(t *testing.T) {
	option := caddytest.TrailOption + "checkpoint_to " + filepath.Join(t.TempDir(), "checkpoint")
	s := caddytest.Start(t, caddytest.WithBackend(t), option)
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	lose(s)
	for _, file := range []string{".key", ".key.used"} {
		if err := os.Remove(s.Store + file); err != nil {
			t.Fatal(err)
		}
	}
	if err := restart(s, option); err == nil || !strings.Contains(err.Error(), "checkpoint") {
		t.Errorf("%v", err)
	}
}

// TestAnEmptyDatabaseOfManyIsNotBegunAnew: another log in it may begin with the key.
func TestAnEmptyDatabaseOfManyIsNotBegunAnew(t *testing.T) {
	t.Parallel()
	server := postgrestest.Shared(t)
	upstream := caddytest.NewIssuing(t)
	key := caddytest.TrailOption + "key " + filepath.Join(t.TempDir(), "the.key")
	startNode(t, server.Database(t), "edge-1", caddytest.ProxyTo(upstream.URL), key).End()
	empty := server.Database(t)
	n := prepareNode(t, empty, "edge-1", caddytest.ProxyTo(upstream.URL), key)
	if _, err := n.Ready(); err == nil {
		t.Error("it runs")
	}
	n.End()
	if log := n.Stderr.String(); !strings.Contains(log, "was the database lost") || !strings.Contains(log, "edge-1") {
		t.Errorf("%s", log)
	}
	startNode(t, empty, "edge-2", caddytest.ProxyTo(upstream.URL), key).End()
}
