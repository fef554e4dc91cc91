package caddymodule_test

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// contents returns the digest of every file beside the store.
func contents(s *site) map[string][sha256.Size]byte {
	s.t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.Dir(s.store), "*"))
	if err != nil {
		s.t.Fatal(err)
	}
	digests := map[string][sha256.Size]byte{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			s.t.Fatal(err)
		}
		digests[file] = sha256.Sum256(content)
	}
	return digests
}

// TestValidatingBesideARunningGateway takes no lock and writes nothing, and what is
// in the configuration may be about the very files that the gateway holds.
func TestValidatingBesideARunningGateway(t *testing.T) {
	next := withBackend(t)
	first := startProcess(t, next)
	first.post("FECAESolicitar", invoice(1))
	before := contents(first.site)
	caddyfile := first.config(first.withAudit(), next)
	adapt(t, caddyfile, false)
	if err := provision(t, []byte(caddyfile)); err != nil {
		t.Errorf("validating beside a gateway: %v", err)
	}
	after := contents(first.site)
	for file, digest := range after {
		if before[file] != digest {
			t.Errorf("validating has changed or made %s", file)
		}
	}
	if len(after) != len(before) {
		t.Errorf("there were %d files, now there are %d", len(before), len(after))
	}
	if got := first.post("FECAESolicitar", invoice(2)); got.status != 200 || got.at(t, "/FeCabResp/Resultado") != `"A"` {
		t.Errorf("the gateway afterwards: %d %s", got.status, got.body)
	}
	// To run it is another thing.
	err := loadCaddyfile(strings.ReplaceAll(caddyfile, first.url, "http://"+freeAddress(t)))
	if err == nil || !strings.Contains(err.Error(), "another process writes this trail: process ") {
		t.Errorf("a second gateway on the trail: %v", err)
	}
}
