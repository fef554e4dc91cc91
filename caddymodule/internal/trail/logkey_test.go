package trail_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// restart stops the site and starts it again with these options.
func restart(s *caddytest.Site, options ...string) error {
	s.T.Helper()
	if err := caddy.Stop(); err != nil {
		s.T.Fatal(err)
	}
	return caddytest.LoadCaddyfile(s.Config(s.WithAudit(options...), caddytest.WithBackend(s.T)))
}

func TestKeyIsMadeAtFirstStartForTheOwnerOnly(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t))
	file := s.Store + ".key"
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%s: %v, %v; want mode 0600", file, info, err)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := restart(s); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("the key after a restart: %v, or another one", err)
	}
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	if got := s.Records(); len(got) != 2 { // verified with the public key of the store
		t.Errorf("%d records, want 2", len(got))
	}
}

func TestKeyFromPlaceholderOrFileSigns(t *testing.T) {
	key := caddytest.NewKey(t, "anything")
	file := filepath.Join(t.TempDir(), "mounted.key")
	if err := os.WriteFile(file, []byte(key.Private()+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("FIELATO_TEST_KEY", key.Private())
	made := filepath.Join(t.TempDir(), "folder", "made.key")
	for _, option := range []string{"{env.FIELATO_TEST_KEY}", "{file." + file + "}", made} {
		s := caddytest.Start(t, caddytest.WithBackend(t), caddytest.TrailOption+"key "+option)
		s.Post("FECAESolicitar", caddytest.Invoice(1))
		if got := s.Records(); len(got) != 2 {
			t.Errorf("key %s: %d records, want 2", option, len(got))
		}
		if _, err := os.Stat(s.Store + ".key"); err == nil {
			t.Errorf("key %s: another key was made beside the store", option)
		}
		if err := caddy.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(made); err != nil {
		t.Error(err)
	}
}

func TestKeyThatCannotBeUsedKeepsTheGatewayFromStarting(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t))
	file := s.Store + ".key"
	t.Setenv("FIELATO_TEST_KEY", caddytest.NewKey(t, "other").Private())
	refused := func(name, option, says string) {
		t.Helper()
		err := restart(s, option)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v; want %q", name, err, says)
		}
		if err != nil && strings.Contains(err.Error(), "PRIVATE+KEY+o") {
			t.Errorf("%s: the error tells the key: %v", name, err)
		}
	}
	refused("another key", caddytest.TrailOption+"key {env.FIELATO_TEST_KEY}", "give the one it began with")
	refused("the key itself", caddytest.TrailOption+"key "+os.Getenv("FIELATO_TEST_KEY"), "must not be in the configuration")
	refused("a placeholder for nothing", caddytest.TrailOption+"key {env.FIELATO_NO_SUCH_NAME}", "FIELATO_NO_SUCH_NAME")
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	refused("others may read it", "", "chmod 600")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	refused("it is gone", "", "put it back")
	if _, err := os.Stat(file); err == nil {
		t.Error("a new key was made for a log that was signed")
	}
	if err := os.WriteFile(file, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused("it is none", "", file+": this is not the private key")
}

// TestAReloadTellsOfAKeyThatIsGone: the trail goes on with the one in memory, and nobody else says before the next
// start fails.
func TestAReloadTellsOfAKeyThatIsGone(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	s := caddytest.NewSite(t)
	load := func() string {
		t.Helper()
		s.Load(strings.Replace(s.Config(s.WithAudit(), caddytest.WithBackend(t)), "{\n", "{\n log {\n"+caddytest.LogTo(log)+" }\n", 1))
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	const says = "cannot be read any more"
	for range 2 {
		if text := load(); strings.Contains(text, says) {
			t.Fatalf("with its key:\n%s", text)
		}
	}
	key := s.Store + ".key"
	for n, spoil := range []func() error{
		func() error { return os.Truncate(key, 20) },
		func() error { return os.Remove(key) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		text := load()
		if strings.Count(text, says) != n+1 || !strings.Contains(text, key) || strings.Contains(text, "PRIVATE+KEY+f") {
			t.Errorf("%d: it says\n%s", n, text)
		}
		if got := s.Post("FECAESolicitar", caddytest.Invoice(n+1)); got.Status != 200 {
			t.Errorf("%d: %d %s", n, got.Status, got.Body)
		}
	}
}

// TestTrailThatDoesNotVerifyKeepsTheGatewayFromStarting: with the database
// alone another history could be made otherwise.
func TestTrailThatDoesNotVerifyKeepsTheGatewayFromStarting(t *testing.T) {
	for name, test := range map[string]struct{ statement, says string }{
		"the last record is gone": {"DELETE FROM segments WHERE id = (SELECT max(id) FROM segments)", "has 1 records, its checkpoint says 2"},
		"a leaf hash is changed":  {"UPDATE segments SET leaves = zeroblob(length(leaves))", "give the root"},
		"no checkpoint":           {"DELETE FROM checkpoints", "no checkpoint"},
		"a changed checkpoint":    {"UPDATE checkpoints SET note = CAST(replace(CAST(note AS TEXT), char(10) || '2' || char(10), char(10) || '1' || char(10)) AS BLOB)", "not signed"},
	} {
		t.Run(name, func(t *testing.T) {
			s := caddytest.Start(t, caddytest.WithBackend(t))
			s.Post("FECAESolicitar", caddytest.Invoice(1))
			if err := caddy.Stop(); err != nil {
				t.Fatal(err)
			}
			caddytest.Tamper(t, s.Store, test.statement)
			err := restart(s)
			if err == nil || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), s.Store) {
				t.Errorf("start: %v; want %q and the store", err, test.says)
			}
		})
	}
}
