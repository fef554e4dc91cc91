package trail_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// encryptionKey makes a file with a new key.
func encryptionKey(t *testing.T) (file string, key *audit.ContentKey) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "encryption.key")
	if _, _, err := caddytest.AuditCommand("new-key", file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if key, err = audit.ParseContentKey(string(text)); err != nil {
		t.Fatal(err)
	}
	return file, key
}

func TestNewKeyIsForTheOwnerOnlyAndOverwritesNothing(t *testing.T) {
	file, key := encryptionKey(t)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v; want mode 0600", info, err)
	}
	if _, _, err := caddytest.AuditCommand("new-key", file); err == nil {
		t.Error("a key was overwritten")
	}
	out, _, err := caddytest.AuditCommand("new-key")
	other, parsed := audit.ParseContentKey(out)
	if err != nil || parsed != nil || other.ID() == key.ID() {
		t.Errorf("printed %q, %v", out, err)
	}
}

// TestEncryptedTrailShowsBodiesWithTheKeyOnly, in no file of the store and in no
// configuration.
func TestEncryptedTrailShowsBodiesWithTheKeyOnly(t *testing.T) {
	file, key := encryptionKey(t)
	s := caddytest.Start(t, caddytest.WithBackend(t), caddytest.TrailOption+"encryption_key "+file)
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	s.Post("FECAESolicitar", strings.Replace(caddytest.Invoice(2), "121.00", "150.00", 1))
	for _, name := range []string{s.Store, s.Store + "-wal"} {
		content, err := os.ReadFile(name)
		if err != nil || bytes.Contains(content, []byte("CondicionIVAReceptorId")) || bytes.Contains(content, []byte(key.Private())) {
			t.Errorf("%s: %v, or a body or the key is in it", name, err)
		}
	}
	for _, r := range s.Records() { // verified, without the key
		if r.Presence != audit.Sealed || r.Request != nil || r.Answer != nil {
			t.Errorf("record %d without the key: %+v", r.Index, r)
		}
	}
	store := "sqlite:" + s.Store
	out, errs, err := caddytest.AuditCommand("show", "2", "--store", store)
	if err != nil || !strings.Contains(out, "sealed: bodies") || strings.Contains(out, `"ImpTotal"`) || strings.Count(errs, "--encryption-key") != 1 {
		t.Errorf("show without the key: %v\n%s\n%s", err, errs, out)
	}
	out, errs, err = caddytest.AuditCommand("search", "--store", store, "--format", "json")
	if err != nil || strings.Count(out, `"content":"sealed"`) != 2 || strings.Count(errs, "\n") != 1 {
		t.Errorf("search without the key: %v\n%s\n%s", err, errs, out)
	}
	if _, errs, err := caddytest.AuditCommand("stats", "--store", store); err != nil || errs != "" {
		t.Errorf("stats, which shows no content: %v, %s", err, errs)
	}
	withKey := func(how string, arguments ...string) {
		t.Helper()
		out, errs, err := caddytest.AuditCommand(append(arguments, "show", "2", "--store", store)...)
		if err != nil || errs != "" || !strings.Contains(out, `"ImpTotal": 150.00`) || strings.Contains(out, "sealed") {
			t.Errorf("with the key %s: %v\n%s\n%s", how, err, errs, out)
		}
	}
	withKey("in a file", "--encryption-key", file)
	t.Setenv("FIELATO_ENCRYPTION_KEY", key.Private())
	withKey("in the environment")
	wrong, _ := encryptionKey(t)
	withKey("in a file, which wins", "--encryption-key", file)
	if _, _, err := caddytest.AuditCommand("show", "2", "--store", store, "--encryption-key", wrong); err == nil || !strings.Contains(err.Error(), key.ID()) {
		t.Errorf("with another key: %v; want an error that names the right one", err)
	}
	_, _, err = caddytest.AuditCommand("show", "2", "--store", store, "--encryption-key", key.Private())
	if err == nil || strings.Contains(err.Error(), key.Private()) {
		t.Errorf("with the key for a file: %v", err)
	}
}

func TestEncryptionKeyThatCannotBeUsedKeepsTheGatewayFromStarting(t *testing.T) {
	file, key := encryptionKey(t)
	s := caddytest.Start(t, caddytest.WithBackend(t), caddytest.TrailOption+"encryption_key "+file)
	other, err := audit.NewContentKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("FIELATO_TEST_KEY", other.Private())
	t.Setenv("FIELATO_TEST_NO_KEY", other.Private()[:43])
	open := filepath.Join(t.TempDir(), "open.key")
	if err := os.WriteFile(open, []byte(key.Private()), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ option, says string }{
		"another key":                 {"{env.FIELATO_TEST_KEY}", key.ID()},
		"the key itself":              {key.Private(), "must not be in the configuration"},
		"most of a key":               {key.Private()[:43], "must not be in the configuration"},
		"a placeholder for nothing":   {"{env.FIELATO_NO_SUCH_NAME}", "FIELATO_NO_SUCH_NAME"},
		"a placeholder for no key":    {"{env.FIELATO_TEST_NO_KEY}", "neither an encryption key nor a file"},
		"no file":                     {file + ".none", "audit new-key"},
		"a file that others can read": {open, "chmod 600"},
		"a file with something else":  {s.Store + ".key", "not an encryption key"},
	} {
		err := restart(s, caddytest.TrailOption+"encryption_key "+test.option)
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v; want %q", name, err, test.says)
			continue
		}
		for _, secret := range []string{key.Private()[:43], other.Private()[:43]} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%s: the error tells the key: %v", name, err)
			}
		}
	}
	for _, option := range []string{file, "{file." + open + "}"} { // the right one, from elsewhere too
		if err := restart(s, caddytest.TrailOption+"encryption_key "+option); err != nil {
			t.Errorf("%s: %v", option, err)
		}
	}
}

// TestHandlersOfOneStoreAgree on its keys: what one of them says must not be ignored,
// neither beside another in one configuration, nor when one is replaced.
func TestHandlersOfOneStoreAgree(t *testing.T) {
	file, key := encryptionKey(t)
	other, _ := encryptionKey(t)
	s := caddytest.Start(t, caddytest.WithBackend(t), caddytest.TrailOption+"encryption_key "+file)
	t.Setenv("FIELATO_TEST_KEY", key.Private())
	t.Setenv("FIELATO_TEST_SIGNING", caddytest.NewKey(t, "other").Private())
	signing, err := os.ReadFile(s.Store + ".key")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("FIELATO_TEST_SAME_SIGNING", string(signing))
	reload := func(options ...string) error {
		return caddytest.LoadCaddyfile(s.Config(s.WithAudit(options...), caddytest.WithBackend(s.T)))
	}
	refused := func(name, says string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), s.Store) {
			t.Errorf("%s: %v; want %q and the store", name, err, says)
		}
		if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != 200 {
			t.Errorf("%s: what ran before does not go on: %d", name, got.Status)
		}
	}
	refused("a reload without the key", "has none", reload())
	refused("a reload with another one", key.ID(), reload(caddytest.TrailOption+"encryption_key "+other))
	refused("a reload that signs with another one", "signed with", reload(caddytest.TrailOption+"encryption_key "+file, caddytest.TrailOption+"key {env.FIELATO_TEST_SIGNING}"))
	if missing := filepath.Join(t.TempDir(), "none.key"); true {
		refused("a reload with a key that is not there", missing, reload(caddytest.TrailOption+"encryption_key "+file, caddytest.TrailOption+"key "+missing))
		if _, err := os.Stat(missing); err == nil {
			t.Error("a key was made for a trail that is open")
		}
	}
	// The same keys, said otherwise.
	if err := reload(caddytest.TrailOption+"encryption_key {env.FIELATO_TEST_KEY}", caddytest.TrailOption+"key {env.FIELATO_TEST_SAME_SIGNING}", "max_body 1MiB"); err != nil {
		t.Errorf("the same keys from elsewhere: %v", err)
	}
	if err := reload(caddytest.TrailOption + "encryption_key " + file); err != nil {
		t.Errorf("the configuration from before: %v", err)
	}

	// Two handlers of one configuration.
	beside := func(second string) error {
		text := s.Config(s.WithAudit(caddytest.TrailOption+"encryption_key "+file), caddytest.WithBackend(s.T))
		return caddytest.LoadCaddyfile(text + fmt.Sprintf("http://%s {\n\tbind %s\n\twsfev1 {\n\t\taudit sqlite %s {\n\t\t\t%s\n\t\t}\n\t}\n\trespond 200\n}\n",
			caddytest.FreeAddress(t), caddytest.Loopback, s.Store, second))
	}
	refused("two handlers", "must have the same", beside("encryption_key "+other))
	if err := beside("encryption_key " + file); err != nil {
		t.Errorf("two handlers that agree: %v", err)
	}
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := restart(s); err != nil { // stopped and started, it may change
		t.Errorf("without the key after a stop: %v", err)
	}
	s.Post("FECAESolicitar", caddytest.Invoice(2))
	if r := s.Last(); r.Presence != audit.Present {
		t.Errorf("the newest record is %v", r.Presence)
	}
}
