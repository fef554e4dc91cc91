package gateway_test

import (
	"os"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/sshagent"
	"github.com/fielato/fielato/internal/sshagent/agenttest"
	"github.com/fielato/fielato/internal/wsaatest"
)

// TestTheKeeperLogsInWithAKeyThatAnAgentHas, itself or in a token behind it. The login service verifies the CMS. The trail
// has a secret of its own for the tickets, if an agent has its key too.
func TestTheKeeperLogsInWithAKeyThatAnAgentHas(t *testing.T) {
	a, token := agenttest.New(t), agenttest.New(t)
	_, ofLog := a.NewKey("ed25519")
	key := wsaatest.SharedKey(t)
	for name, at := range map[string]string{
		"an agent": sshagent.Option(a.Socket, a.AddKey(key)),
		"a token":  sshagent.Option(token.Socket, token.AddToken(key)),
	} {
		login := caddytest.NewLogin(t, keptCuit)
		if err := os.Remove(login.Key); err != nil {
			t.Fatal(err)
		}
		login.Key = at
		s := caddytest.Start(t, caddytest.WithBackend(t), login.Block("cuits "+keptCuit), "ticket off", caddytest.TrailOption+"key "+sshagent.Option(a.Socket, ofLog))
		got := s.Post("FECAESolicitar", without(caddytest.Invoice(1)))
		if got.Status != 200 || got.Header.Get("Wsfev1-Outcome") != "approved" || login.Granted() != 1 {
			t.Errorf("%s: %d, %d logins, %v\n%s", name, got.Status, login.Granted(), got.Header, got.Body)
		}
		if info, err := os.Stat(s.Store + ".key.secret"); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: the secret that seals tickets: %v, %v", name, info, err)
		}
	}
}

// TestAnAgentsKeyMustBeTheCertificates: that is seen without the agent. If it is not there, logins fail, and what needs
// no ticket goes on.
func TestAnAgentsKeyMustBeTheCertificates(t *testing.T) {
	a := agenttest.New(t)
	fingerprint := sshagent.FingerprintOf(wsaatest.SharedKey(t).Public())
	login := caddytest.NewLogin(t, keptCuit)
	_, login.Key = a.NewKey("ed25519")
	login.Key = sshagent.Option(a.Socket, login.Key)
	start := func() caddytest.Response {
		s := caddytest.Start(t, caddytest.WithBackend(t), login.Block("cuits "+keptCuit), "ticket off")
		if got := s.Post("FEDummy", "{}"); got.Status != 200 {
			t.Errorf("%d %s", got.Status, got.Body)
		}
		return s.Post("FECAESolicitar", without(caddytest.Invoice(1)))
	}
	if got := start(); !strings.Contains(string(got.Body), "wsaa.no_ticket") || login.Granted() != 0 {
		t.Errorf("another key: %d %s", got.Status, got.Body)
	}
	login.Key = sshagent.Option(a.Socket, fingerprint)
	if got := start(); !strings.Contains(string(got.Body), "wsaa.no_ticket") || login.Granted() != 0 {
		t.Errorf("a key that the agent has not: %d %s", got.Status, got.Body)
	}
}
