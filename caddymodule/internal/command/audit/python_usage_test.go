package auditcmd_test

import (
	"archive/zip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// TestThePythonVerifierSaysWhatToGive, with another status than for broken evidence.
func TestThePythonVerifierSaysWhatToGive(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	zipped, text := filepath.Join(folder, "evidence.zip"), filepath.Join(folder, "text")
	file, err := os.Create(zipped)
	if err != nil {
		t.Fatal(err)
	}
	archive := zip.NewWriter(file)
	if _, err = archive.Create("manifest.json"); err == nil {
		err = archive.Close()
	}
	if err == nil {
		err = file.Close()
	}
	if err == nil {
		err = os.WriteFile(text, []byte("text\n"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(caddytest.Root(t), "docs", "verify.py")
	for path, want := range map[string]string{
		zipped:            "give the folder in it. unzip " + zipped + " -d FOLDER, then python3 verify.py KEY FOLDER",
		text:              "is no proof: give a folder",
		folder:            "has no manifest.json: give the folder",
		folder + "/other": "is not there: give a folder",
	} {
		cmd := exec.CommandContext(t.Context(), pythonProgram(t), "-B", program, "key", path)
		out, err := cmd.CombinedOutput()
		if err == nil || cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), want) || strings.Contains(string(out), "broken") {
			t.Errorf("%s: %v\n%s", path, err, out)
		}
	}
}
