package proving_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/audit/export"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// exportOf exports a site's trail, and returns the folder and the public key.
func exportOf(t *testing.T, s *caddytest.Site, flags ...string) (path, key string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "export")
	_, said, err := caddytest.AuditCommand(append([]string{"export", "--store", "sqlite:" + s.Store, "--output", path}, flags...)...)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said, "with 8 records, 0 purged and 0 encrypted") {
		t.Errorf("said %s", said)
	}
	text, err := os.ReadFile(filepath.Join(path, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest export.Manifest
	if err := json.Unmarshal(text, &manifest); err != nil || !strings.Contains(said, "--key "+manifest.PublicKey) {
		t.Fatalf("%v, said %s", err, said)
	}
	return path, manifest.PublicKey
}

// TestExportIsVerifiedByItsFolderAlone, grows with the trail, and has no credentials.
func TestExportIsVerifiedByItsFolderAlone(t *testing.T) {
	s := caddytest.Evidence(t)
	for _, flags := range [][]string{nil, {"--zstd"}} {
		path, key := exportOf(t, s, flags...)
		out, _, err := caddytest.AuditCommand("verify", "--export", path, "--key", key)
		if err != nil || !strings.HasPrefix(out, "sound: 8 records of the log ") || !strings.Contains(out, " and 7 invoice rows ") {
			t.Errorf("%v: %s, %v", flags, out, err)
		}
		entries, err := os.ReadDir(path)
		if err != nil || len(entries) != 3 {
			t.Fatalf("%d files, %v", len(entries), err)
		}
		for _, entry := range entries {
			text, err := os.ReadFile(filepath.Join(path, entry.Name()))
			if err != nil || bytes.Contains(text, []byte(caddytest.Token)) || bytes.Contains(text, []byte(caddytest.Sign)) {
				t.Errorf("%s: %v, or it has credentials", entry.Name(), err)
			}
		}
	}
	path, key := exportOf(t, s)
	s.Post("FEDummy", "")
	if _, said, err := caddytest.AuditCommand("export", "--store", "sqlite:"+s.Store, "--output", path); err != nil || !strings.Contains(said, "with 9 records") {
		t.Fatalf("%v: %s", err, said)
	}
	file := filepath.Join(t.TempDir(), "log.pub")
	if err := os.WriteFile(file, []byte(key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _, err := caddytest.AuditCommand("verify", "--export", path, "--key", file); err != nil || !strings.HasPrefix(out, "sound: 9 records") {
		t.Errorf("%s, %v", out, err)
	}
}

// TestVerifyExportEndsWithItsStatus, and names each flaw and its place.
func TestVerifyExportEndsWithItsStatus(t *testing.T) {
	s := caddytest.Evidence(t)
	sound, key := exportOf(t, s)
	const records = "records-000000000000-000000000007.jsonl"
	broken, unfinished := t.TempDir(), t.TempDir()
	for _, path := range []string{broken, unfinished} {
		if err := os.CopyFS(path, os.DirFS(sound)); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(broken, records))
	if err != nil {
		t.Fatal(err)
	}
	text = regexp.MustCompile(`"outcome":"refused"`).ReplaceAll(text, []byte(`"outcome":"allowed"`))
	if err := os.WriteFile(filepath.Join(broken, records), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(unfinished, "manifest.json")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		arguments string
		status    int
		out, errs string
	}{
		{"verify --export " + sound + " --key " + key, 0, "sound: ", ""},
		{"verify --export " + sound, 2, "", "Error: " + sound + ": the export is consistent, but"},
		{"verify --export " + broken + " --key " + key, 1, records + ":4: record 3: the record was changed", "Error: " + broken + ": the export is broken: 1 fault"},
		{"verify --export " + broken, 1, records + ":4: ", "Error: " + broken + ": the export is broken"},
		{"verify --export " + unfinished + " --key " + key, 2, "", "Error: --export " + unfinished + ": there is no manifest.json"},
		{"verify --export " + sound + "x --key " + key, 2, "", "Error: --export " + sound + "x: "},
		{"verify --export " + sound + " --key " + s.Store + ".key", 2, "", "Error: --key: " + s.Store + ".key holds the private key"},
		{"verify --export " + sound + " --key a+b", 2, "", "Error: --key: this is neither a public key"},
		{"verify --export " + sound + " --key none", 2, "", "Error: --key: this is neither a public key"},
		{"verify --export " + sound + " --key " + key + " --checkpoint none", 2, "", "Error: --checkpoint: "},
		{"verify --nope", 2, "", "Error: unknown flag"},
		{"export --store sqlite:" + s.Store, 2, "", "Error: --output is missing: give the folder"},
		{"export --store sqlite:" + s.Store + " --output " + filepath.Dir(s.Store), 2, "", "Error: " + filepath.Dir(s.Store) + ": exporting"},
	} {
		process := caddytest.CommandProcess(t, "wsfev1 audit "+c.arguments)
		var out, errs strings.Builder
		process.Stdout, process.Stderr = &out, &errs
		err := process.Run()
		if exited := new(exec.ExitError); err != nil && !errors.As(err, &exited) {
			t.Fatal(err)
		}
		if got := process.ProcessState.ExitCode(); got != c.status || !strings.Contains(out.String(), c.out) ||
			!strings.HasPrefix(errs.String(), c.errs) || c.errs == "" && errs.Len() > 0 || strings.Contains(errs.String(), "PRIVATE") {
			t.Errorf("%s: status %d, want %d, saying %q and %q", c.arguments, got, c.status, out.String(), errs.String())
		}
	}
}
