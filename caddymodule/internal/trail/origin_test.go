package trail_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestALogHasTheOriginThatItBeganWith: its key has the same name, what verifies knows the log by it, and it can neither
// be changed nor be given to a log that has begun without.
func TestALogHasTheOriginThatItBeganWith(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	origin := "ejemplo.com.ar/" + audit.Origin(host)
	option := caddytest.TrailOption + "origin " + origin
	s := caddytest.Start(t, caddytest.WithBackend(t), option)
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	if err := restart(s, option); err != nil {
		t.Fatal(err)
	}
	s.Post("FECAESolicitar", caddytest.Invoice(2))
	key := logKey(t, s)
	if !strings.HasPrefix(key, origin+"+") || s.Last().Log != host {
		t.Errorf("the log %s has the key %s, want %s", s.Last().Log, key, origin)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("key.pub", []byte(key), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"checkpoint --store STORE", "verify --store STORE --key key.pub", "prove --store STORE 1 --output proof", "check-proof proof --key key.pub",
		"export --store STORE --output export", "verify --export export --key key.pub",
		"evidence --store STORE --cuit 20111111112 --pto-vta 1 --cbte-tipo 6 --nro 1 --output folder", "verify --export folder --key key.pub",
	} {
		out, errs, err := caddytest.AuditCommand(strings.Fields(strings.ReplaceAll(line, "STORE", "sqlite:"+s.Store))...)
		if err != nil {
			t.Errorf("%s: %v\n%s%s", line, err, out, errs)
		}
		if strings.HasPrefix(line, "checkpoint") && !strings.HasPrefix(out, origin+"\n4\n") {
			t.Errorf("%s", out)
		}
	}
	if err := restart(s); err != nil {
		t.Errorf("without the option: %v", err)
	}
	for other, want := range map[string]string{
		"otra.com.ar/" + audit.Origin(host):       "the log has the origin " + origin + " since it began",
		"ejemplo.com.ar/" + audit.Origin("other"): "this log is called " + host + ": write " + origin,
		audit.Origin(host):                        "write a domain of yours",
	} {
		if err := restart(s, caddytest.TrailOption+"origin "+other); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("origin %s: %v, want %q", other, err, want)
		}
	}
}

// TestAnOriginNeedsAKeyOfItsOwn, and is for a new log.
func TestAnOriginNeedsAKeyOfItsOwn(t *testing.T) {
	s := caddytest.Start(t, caddytest.WithBackend(t))
	s.Post("FECAESolicitar", caddytest.Invoice(1))
	option := caddytest.TrailOption + "origin ejemplo.com.ar/" + audit.Origin(s.Last().Log)
	if err := restart(s, option); err == nil || !strings.Contains(err.Error(), "since it began") {
		t.Errorf("a log that has begun: %v", err)
	}
	brought := filepath.Join(t.TempDir(), "brought.key")
	if err := os.WriteFile(brought, []byte(caddytest.NewKey(t, "brought").Private()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Store = filepath.Join(t.TempDir(), "audit.db")
	if err := restart(s, option, caddytest.TrailOption+"key "+brought); err == nil || !strings.Contains(err.Error(), "another origin needs a key of its own") {
		t.Errorf("a key of another name: %v", err)
	}
	if err := restart(s, option); err != nil {
		t.Errorf("a new log: %v", err)
	}
}
