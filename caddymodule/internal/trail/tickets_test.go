package trail_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestGatewaysOfADatabaseShareATicket: three of them need one login. Without a key that all of them
// have, they do not start.
func TestGatewaysOfADatabaseShareATicket(t *testing.T) {
	login := caddytest.NewLogin(t, "20111111112")
	login.Mark(caddytest.NewMarkers())
	t.Setenv("FIELATO_TEST_DSN", strings.TrimPrefix(caddytest.EmptyDatabase(t), "postgres:"))
	file, _ := encryptionKey(t)
	folder := t.TempDir()
	options := func(node string, more ...string) string {
		lines := append([]string{"node " + node, "key " + filepath.Join(folder, node)}, more...)
		return "audit postgres {env.FIELATO_TEST_DSN} {\n" + strings.Join(lines, "\n") + "\n}\n" + login.Block("cuits 20111111112")
	}
	s := caddytest.NewSite(t)
	next := caddytest.WithBackend(t)
	err := caddytest.LoadCaddyfile(s.Config(options("a"), next))
	if err == nil || !strings.Contains(err.Error(), "encryption_key") || len(login.Attempts()) > 0 {
		t.Errorf("without a key: %v, %d logins", err, len(login.Attempts()))
	}
	config, addresses := s.Config(options("a", "encryption_key "+file), next), []string{s.URL}
	for _, node := range []string{"b", "c"} {
		address := "http://" + caddytest.FreeAddress(t)
		addresses = append(addresses, address)
		config += fmt.Sprintf("%s {\n bind %s\n wsfev1 {\n%s\n}\n%s\n}\n", address, caddytest.Loopback, options(node, "encryption_key "+file), next)
	}
	s.Load(config)
	bare := "{" + strings.Replace(caddytest.AuthText, `"Token":"`+caddytest.Token+`","Sign":"`+caddytest.Sign+`",`, "", 1) + "}"
	for _, address := range addresses {
		s.URL = address
		if got := s.Post("FECompTotXRequest", bare); got.Header.Get("Wsfev1-Outcome") != "answered" {
			t.Errorf("%s: %d %v %s", address, got.Status, got.Header, got.Body)
		}
	}
	if n := len(login.Attempts()); n != 1 {
		t.Errorf("%d logins", n)
	}
}
