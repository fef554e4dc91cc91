package trail_test

import (
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/audit"
	auditsqlite "github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/caddymodule/internal/signingkey"
	"github.com/fielato/fielato/internal/sshagent"
	"github.com/fielato/fielato/internal/sshagent/agenttest"
)

// heldBy is the option of a trail whose key an agent has.
func heldBy(socket, fingerprint string) string {
	return caddytest.TrailOption + "key agent " + socket + " " + fingerprint
}

// TestAnAgentSignsTheTrail: the private key is in no file. While the agent is away, nothing is issued; when it is back
// with the key, everything goes on.
func TestAnAgentSignsTheTrail(t *testing.T) {
	a := agenttest.New(t)
	file, fingerprint := a.NewKey("ed25519")
	key := heldBy(a.Socket, fingerprint)
	s := caddytest.Start(t, caddytest.WithBackend(t), key)
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != http.StatusOK {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	store, err := auditsqlite.OpenReader(s.Store)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := signingkey.KnownVerifier(t.Context(), store, "")
	if err = errors.Join(err, store.Close()); err != nil {
		t.Fatal(err)
	}
	public, err := audit.PublicKey(verifier)
	if err != nil || sshagent.FingerprintOf(public) != fingerprint {
		t.Errorf("the log is signed with %s, %v", sshagent.FingerprintOf(public), err)
	}
	if _, err := os.Stat(s.Store + ".key"); err == nil {
		t.Error("a key was made beside the database")
	}
	a.Stop()
	if got := s.Post("FECAESolicitar", caddytest.Invoice(2)); got.Status != http.StatusServiceUnavailable {
		t.Errorf("without the agent: %d %s", got.Status, got.Body)
	}
	a.Start()
	if got := s.Post("FECAESolicitar", caddytest.Invoice(2)); got.Status != http.StatusServiceUnavailable {
		t.Errorf("with an agent that has no key: %d %s", got.Status, got.Body)
	}
	a.Add(file)
	if got := s.Post("FECAESolicitar", caddytest.Invoice(2)); got.Status != http.StatusOK || !strings.Contains(string(got.Body), `"CbteDesde":2`) {
		t.Errorf("with the agent again: %d %s", got.Status, got.Body)
	}
	s.Load(s.Config(s.WithAudit(key), caddytest.WithBackend(t))) // which asks nobody
	if err := restart(s, key); err != nil {
		t.Fatal(err)
	}
	if got := s.Records(); len(got) != 4 { // verified with the public key of the store
		t.Errorf("%d records, want 4", len(got))
	}
	lose(s)
	wantLostDatabase(s, "the key in an agent", key)
}

// TestWhatKeepsATrailFromAnAgentsKey: each error says what to do.
func TestWhatKeepsATrailFromAnAgentsKey(t *testing.T) {
	a := agenttest.New(t)
	file, fingerprint := a.NewKey("ed25519")
	_, another := a.NewKey("ed25519")
	_, ecdsa := a.NewKey("ecdsa")
	s := caddytest.Start(t, caddytest.WithBackend(t), heldBy(a.Socket, fingerprint))
	s.Post("FEDummy", "{}")
	inFile := caddytest.NewSite(t)
	inFile.Load(inFile.Config(inFile.WithAudit(), caddytest.WithBackend(t)))
	for name, test := range map[string]struct {
		site *caddytest.Site
		key  string
		says string
	}{
		"another key":           {s, heldBy(a.Socket, another), "give the one it began with"},
		"a file":                {s, "", "put it back, its public key is "},
		"of a log with a file":  {inFile, heldBy(a.Socket, fingerprint), "give the one it began with"},
		"no agent":              {s, heldBy(a.Socket+"2", fingerprint), "start it, and let this process reach its socket"},
		"another type":          {caddytest.NewSite(t), heldBy(a.Socket, ecdsa), "make one with ssh-keygen -t ed25519"},
		"a key it has not":      {caddytest.NewSite(t), heldBy(a.Socket, "SHA256:"+strings.Repeat("A", 43)), "name one that it has: " + fingerprint},
		"no fingerprint":        {s, heldBy(a.Socket, "fielato"), "the one that ssh-add -l shows"},
		"a fingerprint alone":   {s, caddytest.TrailOption + "key agent " + fingerprint, "give the socket of the agent"},
		"a socket of a service": {s, heldBy(agenttest.Lying(t, func(net.Conn) {}), fingerprint), "the ssh-agent does not answer"},
	} {
		if err := restart(test.site, test.key); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	a.RemoveAll()
	if err := restart(s, heldBy(a.Socket, fingerprint)); err == nil || !strings.Contains(err.Error(), "none, or it is locked") {
		t.Errorf("without keys: %v", err)
	}
	a.Add(file)
	if err := restart(s, heldBy(a.Socket, fingerprint)); err != nil {
		t.Error(err)
	}
	if err := caddytest.LoadCaddyfile(s.Config(s.WithAudit(heldBy(a.Socket+"2", fingerprint)), caddytest.WithBackend(t))); err == nil || !strings.Contains(err.Error(), "to change it, stop and start") {
		t.Errorf("another agent at a reload: %v", err)
	}
}

// TestAConfigurationIsValidWithoutItsAgent: nothing is asked before the trail opens.
func TestAConfigurationIsValidWithoutItsAgent(t *testing.T) {
	s := caddytest.NewSite(t)
	text := s.Config(s.WithAudit(heldBy("/nowhere/agent", "SHA256:"+strings.Repeat("A", 43))), caddytest.WithBackend(t))
	if err := caddytest.Provision(t, []byte(text)); err != nil {
		t.Error(err)
	}
}

// TestCommandsSignWithAKeyInAnAgent while no gateway runs: one that is written down, and the one that lets a trail go on
// whose database was restored from an older copy.
func TestCommandsSignWithAKeyInAnAgent(t *testing.T) {
	a := agenttest.New(t)
	_, fingerprint := a.NewKey("ed25519")
	key := heldBy(a.Socket, fingerprint)
	s := caddytest.Start(t, caddytest.WithBackend(t), key)
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	older := filepath.Join(t.TempDir(), "older.db")
	copyStore(t, s.Store, older)
	held := []string{"--store", "sqlite:" + s.Store, "--key-file", sshagent.Option(a.Socket, fingerprint)}
	run := func(arguments ...string) {
		t.Helper()
		if out, errs, err := caddytest.AuditCommand(append(arguments, held...)...); err != nil {
			t.Fatalf("%v\n%s%s", err, out, errs)
		}
	}
	run("hold", "add", "--cuit", "20111111112")
	if err := restart(s, key); err != nil {
		t.Fatal(err)
	}
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	copyStore(t, older, s.Store)
	if err := restart(s, key); err == nil || !strings.Contains(err.Error(), "has 2 records, and had 3") {
		t.Fatalf("an older copy: %v", err)
	}
	run("continue-after-restore", "--reason", "disco")
	if err := restart(s, key); err != nil {
		t.Fatal(err)
	}
	if got := s.Post("FEDummy", "{}"); got.Status != http.StatusOK {
		t.Errorf("in the log after it: %d %s", got.Status, got.Body)
	}
}
