package caddymodule_test

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// contents returns the digest of every file beside the store.
func contents(s *caddytest.Site) map[string][sha256.Size]byte {
	s.T.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.Dir(s.Store), "*"))
	if err != nil {
		s.T.Fatal(err)
	}
	digests := map[string][sha256.Size]byte{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			s.T.Fatal(err)
		}
		digests[file] = sha256.Sum256(content)
	}
	return digests
}

// TestValidatingBesideARunningGateway: validating takes no lock and writes nothing. The
// configuration may name the very files that the gateway holds.
func TestValidatingBesideARunningGateway(t *testing.T) {
	next := caddytest.WithBackend(t)
	first := caddytest.StartProcess(t, next)
	first.Post("FECAESolicitar", caddytest.Invoice(1))
	before := contents(first.Site)
	caddyfile := first.Config(first.WithAudit(), next)
	adapt(t, caddyfile, false)
	if err := caddytest.Provision(t, []byte(caddyfile)); err != nil {
		t.Errorf("validating beside a gateway: %v", err)
	}
	after := contents(first.Site)
	for file, digest := range after {
		if before[file] != digest {
			t.Errorf("validating has changed or made %s", file)
		}
	}
	if len(after) != len(before) {
		t.Errorf("there were %d files, now there are %d", len(before), len(after))
	}
	if got := first.Post("FECAESolicitar", caddytest.Invoice(2)); got.Status != 200 || got.At(t, "/FeCabResp/Resultado") != `"A"` {
		t.Errorf("the gateway afterwards: %d %s", got.Status, got.Body)
	}
	// To run it is another thing.
	elsewhere := strings.NewReplacer(first.URL, "http://"+caddytest.FreeAddress(t), first.Metrics, "http://"+caddytest.FreeAddress(t))
	err := caddytest.LoadCaddyfile(elsewhere.Replace(caddyfile))
	if err == nil || !strings.Contains(err.Error(), "another process writes this trail: process ") {
		t.Errorf("a second gateway on the trail: %v", err)
	}
}
