package proving_test

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

// TestThePythonVerifierBlamesNoEvidenceForItsMachine: what it lacks itself says nothing about the evidence.
func TestThePythonVerifierBlamesNoEvidenceForItsMachine(t *testing.T) {
	s := caddytest.Evidence(t)
	folder, docs := t.TempDir(), filepath.Join(caddytest.Root(t), "docs")
	sound, packed, alone := filepath.Join(folder, "sound"), filepath.Join(folder, "packed"), filepath.Join(folder, "verify.py")
	program, err := os.ReadFile(filepath.Join(docs, "verify.py"))
	if err == nil {
		err = os.WriteFile(alone, program, 0o600)
	}
	full, missing := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil || missing != nil {
		t.Skip(err, missing)
	}
	defer full.Close()
	var key string
	for to, flag := range map[string]string{sound: "--zstd=false", packed: "--zstd"} {
		_, said, err := caddytest.AuditCommand("export", "--store", "sqlite:"+s.Store, "--output", to, flag)
		if err != nil {
			t.Fatal(err)
		}
		_, key, _ = strings.Cut(strings.TrimSpace(said), " --key ")
	}
	// The program itself, as python3 may be a script that needs others.
	python, err := exec.CommandContext(t.Context(), pythonProgram(t), "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]struct {
		program, path string
		out           *os.File
	}{
		"have to stand beside verify.py": {program: alone, path: sound},
		"it takes the program zstd":      {program: filepath.Join(docs, "verify.py"), path: packed},
		"not all could be checked: ":     {program: filepath.Join(docs, "verify.py"), path: sound, out: full},
	} {
		said := new(strings.Builder)
		cmd := exec.CommandContext(t.Context(), strings.TrimSpace(string(python)), "-B", "-u", c.program, key, c.path)
		cmd.Env, cmd.Stderr = []string{"PATH=/nowhere"}, said
		if c.out != nil {
			cmd.Stdout = c.out
		}
		if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() != 2 || !strings.Contains(said.String(), want) || strings.Contains(said.String(), "broken") {
			t.Errorf("%s: %v\n%s", want, err, said)
		}
	}
}
