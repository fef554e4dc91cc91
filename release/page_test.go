package release_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestABadSignatureEndsTheCheck of the page, also where a shell goes on after a command that failed: who pastes the
// lines must not read OK for files of a list that nobody has signed.
func TestABadSignatureEndsTheCheck(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		return // Windows has another shell
	}
	block := regexp.MustCompile("<!-- signature -->\n```sh\n([^`]+)```").FindStringSubmatch(read(t, "docs/verify-release.md"))
	if block == nil {
		t.Fatal("the page has no such commands")
	}
	for status, want := range map[string]string{"0": "file: OK\n", "255": ""} {
		folder := t.TempDir()
		for program, script := range map[string]string{"ssh-keygen": "exit " + status, "sha256sum": "echo file: OK"} {
			if err := os.WriteFile(filepath.Join(folder, program), []byte("#!"+shell+"\n"+script+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(folder, "checksums.txt"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		command := exec.CommandContext(t.Context(), shell, "-c", block[1])
		command.Dir, command.Env = folder, []string{"PATH=" + folder}
		said, err := command.Output()
		if string(said) != want || (err == nil) != (status == "0") {
			t.Errorf("signature %s: it says %q, %v, want %q", status, strings.TrimSpace(string(said)), err, want)
		}
	}
}
