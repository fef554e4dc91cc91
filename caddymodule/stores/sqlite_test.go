package stores_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/stores"
)

// TestAnAddressIsNoPath: the trail would be a file on this machine, not in the database that was meant, and its name
// and the log would have the password.
func TestAnAddressIsNoPath(t *testing.T) {
	t.Setenv("AUDIT_DSN", "postgres://fielato:hunter2@db.example/invoices")
	for _, path := range []string{"postgres://fielato:hunter2@db.example/invoices", "{env.AUDIT_DSN}", "file:///var/lib/hunter2.db"} {
		if got, err := stores.DatabasePath(path, stores.AuditFile); err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "behind postgres") {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	folder := t.TempDir()
	want := filepath.Join(folder, "a:b", "audit.db")
	if got, err := stores.DatabasePath(folder+"/a:b//audit.db", stores.AuditFile); err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
}
