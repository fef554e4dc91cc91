//go:build unix

package trail_test

import (
	"net/http"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/sshagent/agenttest"
	"github.com/fielato/fielato/internal/testrun"
)

// TestAnAgentThatHangs costs an exchange the time that a signature may take, and no more.
func TestAnAgentThatHangs(t *testing.T) {
	if testrun.Factor(t) < 1 {
		t.Log("only in the long form: it waits for ten seconds")
		return
	}
	a := agenttest.New(t)
	_, fingerprint := a.NewKey("ed25519")
	s := caddytest.Start(t, caddytest.WithBackend(t), heldBy(a.Socket, fingerprint))
	a.Pause()
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != http.StatusServiceUnavailable {
		t.Errorf("while it hangs: %d %s", got.Status, got.Body)
	}
	a.Resume()
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != http.StatusOK {
		t.Errorf("when it goes on: %d %s", got.Status, got.Body)
	}
	if err := caddy.Stop(); err != nil {
		t.Error(err)
	}
}
