package gateway_test

import (
	"encoding/pem"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestLegacyTLSReachesAnOldLoginService, which has suites with RSA key exchange alone. Without it the log
// names the option, and over plain HTTP it is an error.
func TestLegacyTLSReachesAnOldLoginService(t *testing.T) {
	service, login := caddytest.NewStub(t, believing), caddytest.NewLogin(t, keptCuit)
	login.Mark(caddytest.NewMarkers())
	address, err := url.Parse(login.URL)
	if err != nil {
		t.Fatal(err)
	}
	old := startOldTLS(t, httputil.NewSingleHostReverseProxy(address).ServeHTTP)
	authority := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: old.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	s := caddytest.NewSite(t)
	config := func(lines ...string) string {
		block := login.Block(append(lines, "cuits "+keptCuit, "store memory")...)
		return s.Config(s.WithAudit(block, "ticket off"), caddytest.ProxyTo(service.URL))
	}
	secure := func(lines ...string) string {
		return strings.Replace(config(append(lines, "tls_ca "+authority)...), "wsaa "+login.URL, "wsaa "+old.URL, 1)
	}
	s.Load(secure())
	got := postBare(s, caddytest.Faces[0], "FECompTotXRequest", "{"+caddytest.AuthText+"}")
	if got.Status != http.StatusServiceUnavailable || len(login.Attempts()) > 0 {
		t.Errorf("without it: %d %s", got.Status, got.Body)
	}
	if r := s.Last(); !strings.Contains(r.Detail, "handshake failure: the service has no cipher suite that Go offers by default: try legacy_tls on") {
		t.Error(r.Detail)
	}
	s.Load(secure("legacy_tls on"))
	if got := postBare(s, caddytest.Faces[0], "FECompTotXRequest", "{"+caddytest.AuthText+"}"); got.Status != http.StatusOK || len(login.Attempts()) != 1 {
		t.Errorf("with it: %d %s", got.Status, got.Body)
	}
	if err := caddytest.LoadCaddyfile(config("legacy_tls on")); err == nil || !strings.Contains(err.Error(), "legacy_tls is on, but the address of the login service is not https") {
		t.Errorf("over plain HTTP: %v", err)
	}
}
