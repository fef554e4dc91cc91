package doctor_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/sshagent"
	"github.com/fielato/fielato/internal/sshagent/agenttest"
)

// TestAKeyInAnAgent is looked for, and signs nothing.
func TestAKeyInAnAgent(t *testing.T) {
	a := agenttest.New(t)
	_, fingerprint := a.NewKey("ed25519")
	_, another := a.NewKey("ed25519")
	t.Chdir(t.TempDir())
	trail := filepath.Join(t.TempDir(), "audit.db")
	with := func(fingerprint string) string {
		text := config(freeAddress(t), trail, "wsfev1_backend {\n\t\tledger sqlite "+filepath.Join(t.TempDir(), "ledger.db")+"\n\t}")
		return strings.Replace(text, "audit sqlite "+trail, "audit sqlite "+trail+" {\n key "+sshagent.Option(a.Socket, fingerprint)+"\n }", 1)
	}
	r, err := examine(t, with(fingerprint))
	if err != nil {
		t.Error(err)
	}
	r.want(t, "signing key", "ok", "the agent has the key")
	issue(t, with(fingerprint))
	r, _ = examine(t, with(fingerprint))
	r.want(t, "signing key", "ok", "which is that of the log ")
	r, _ = examine(t, with(another))
	r.want(t, "signing key", "problem", "is not the key of the log ")
	a.RemoveAll()
	r, _ = examine(t, with(fingerprint))
	r.want(t, "signing key", "problem", "add it with ssh-add")
	a.Stop()
	r, _ = examine(t, with(fingerprint))
	r.want(t, "signing key", "problem", "does not answer")
}
