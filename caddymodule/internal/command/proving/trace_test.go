package proving_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

const (
	clientTrace  = "4bf92f3577b34da6a3ce929d0e0e4736"
	clientParent = "00-" + clientTrace + "-00f067aa0ba902b7-01"
)

// TestTraceIsFoundByTheCommands, and in an export another program proves it.
func TestTraceIsFoundByTheCommands(t *testing.T) {
	upstream := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL))
	for n, parent := range []string{clientParent, "", strings.Replace(clientParent, "4b", "5b", 1)} {
		r := s.Request(t.Context(), "FECAESolicitar", caddytest.Invoice(n+1))
		r.Header.Set("traceparent", parent)
		s.Do(r)
	}
	out, errs, err := caddytest.AuditCommand("search", "--store", "sqlite:"+s.Store, "--trace", clientTrace, "--format", "json")
	if err != nil || strings.Count(out, "\n") != 1 || !strings.Contains(out, `"trace_id":"`+clientTrace+`"`) {
		t.Errorf("%v %s\n%s", err, errs, out)
	}
	if out, _, err := caddytest.AuditCommand("show", "--store", "sqlite:"+s.Store, "1"); err != nil || strings.Count(out, clientTrace) != 2 {
		t.Errorf("%v\n%s", err, out)
	}
	if out, _, err := caddytest.AuditCommand("show", "--store", "sqlite:"+s.Store, "3"); err != nil || strings.Contains(out, "trace") {
		t.Errorf("a record without a trace: %v\n%s", err, out)
	}
	for _, bad := range []string{"", "4bf9", strings.ToUpper(clientTrace), strings.Repeat("0", 32)} {
		if _, _, err := caddytest.AuditCommand("search", "--store", "sqlite:"+s.Store, "--trace", bad); err == nil {
			t.Errorf("--trace %q is taken", bad)
		}
	}
	path := caddytest.Exported(t, "sqlite:"+s.Store)
	key := caddytest.KeyOf(t, path)
	if said, sound := caddytest.Python(t, key, path); !sound || !strings.Contains(said, "6 records") {
		t.Error(said)
	}
	proof := filepath.Join(t.TempDir(), "record.tlog-proof")
	if _, errs, err := caddytest.AuditCommand("prove", "1", "--store", "sqlite:"+s.Store, "--output", proof); err != nil {
		t.Fatalf("%v\n%s", err, errs)
	}
	if said, sound := caddytest.Python(t, key, proof); !sound || !strings.Contains(said, clientTrace) {
		t.Error(said)
	}
	const lines = "records-000000000000-000000000005.jsonl"
	edit(t, filepath.Join(path, lines), clientTrace, strings.Replace(clientTrace, "4b", "5b", 1))
	if said, sound := caddytest.Python(t, key, path); sound || !strings.Contains(said, lines+":1: record 0: it was changed") {
		t.Error(said)
	}
	if out, _, err := caddytest.AuditCommand("verify", "--export", path, "--key", key); err == nil || !strings.Contains(out, lines+":1: record 0") {
		t.Errorf("ours: %v\n%s", err, out)
	}
}
