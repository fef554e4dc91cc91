package trail_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/version"
)

// TestStartNamesTheProgram by the digest of its file, once for each start and not for a reload; and the trail with
// it is sound.
func TestStartNamesTheProgram(t *testing.T) {
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(file)
	next := caddytest.WithBackend(t)
	s := caddytest.Start(t, next, caddytest.TrailOption+"log_starts")
	s.Load(s.Config(s.WithAudit(caddytest.TrailOption+"log_starts"), next)) // a reload
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	s.Load(s.Config(s.WithAudit(caddytest.TrailOption+"log_starts"), next))
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	var starts []*audit.Record
	for _, r := range s.Accesses() {
		if r.Outcome == audit.AccessStart {
			starts = append(starts, r)
		}
	}
	if len(starts) != 2 {
		t.Fatalf("%d records of starts, want 2", len(starts))
	}
	for _, r := range starts {
		var program version.Program
		if err := json.Unmarshal(r.Request, &program); err != nil {
			t.Fatalf("%v: %s", err, r.Request)
		}
		if program.SHA256 != hex.EncodeToString(sum[:]) || !strings.Contains(r.Detail, program.SHA256) || program.Go == "" {
			t.Errorf("the start is recorded as %s: %s", r.Detail, r.Request)
		}
		if r.RequestDigest != sha256.Sum256(r.Request) {
			t.Error("request_sha256 is not that of the request")
		}
	}
	if out, _, err := caddytest.AuditCommand("verify", "--store", "sqlite:"+s.Store); err != nil {
		t.Errorf("the trail is not sound: %v\n%s", err, out)
	}
	if out, _, err := caddytest.AuditCommand("search", "--store", "sqlite:"+s.Store, "--outcome", "start"); err != nil || strings.Count(out, starts[0].Detail) != 2 {
		t.Errorf("the starts are not found: %v\n%s", err, out)
	}
}
