package caddytest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/cosignature"
	"github.com/fielato/fielato/internal/testrun"
)

// Python runs docs/verify.py, which knows nothing of this code, and returns what it says and
// whether it found everything sound.
func Python(t *testing.T, key, path string) (said string, sound bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), testrun.Installed(t, "python3"), "-B", filepath.Join(Root(t), "docs", "verify.py"), key, path)
	out, err := cmd.CombinedOutput()
	if status := cmd.ProcessState.ExitCode(); err != nil && status != 1 && status != 2 {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out), err == nil
}

// Exported exports a store by the command, and returns the folder.
func Exported(t *testing.T, store string, flags ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "export")
	if _, errs, err := AuditCommand(append([]string{"export", "--store", store, "--output", path}, flags...)...); err != nil {
		t.Fatalf("%v\n%s", err, errs)
	}
	return path
}

// KeyOf is the public key that an export names.
func KeyOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`"public_key": "([^"]+)"`).FindStringSubmatch(string(text))[1]
}

// CosignStore has the newest checkpoint of a log in a database cosigned.
func CosignStore(t *testing.T, path, log string, witnesses ...*cosignature.Key) {
	t.Helper()
	newest, errs, err := AuditCommand("checkpoint", "--store", "sqlite:"+path)
	if err != nil {
		t.Fatal(err, errs)
	}
	signed := audittest.Cosign(t, []byte(newest), time.Date(2026, 11, 27, 15, 0, 0, 0, time.UTC), witnesses...)
	Tamper(t, path, fmt.Sprintf("INSERT INTO settings (name, value) VALUES ('%s', x'%x')", audit.CosignedSetting(log), signed))
}
