package release_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestScriptsOfThePackage call systemd for no more than the calls listed here. An upgrade neither
// stops nor restarts a gateway at work, and nothing removes the evidence.
func TestScriptsOfThePackage(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		return // Windows has no Debian packages
	}
	scripts := readRecipe(t).NFPMs[0].Scripts
	for _, c := range []struct {
		name, script string
		arguments    []string
		active       bool
		calls, says  string
	}{
		{"a first installation", scripts.Postinstall, []string{"configure", ""}, false, "fielato.conf; daemon-reload; is-active --quiet fielato", "enable --now"},
		{"an upgrade at work", scripts.Postinstall, []string{"configure", "0.1.0"}, true, "fielato.conf; daemon-reload; is-active --quiet fielato", "/wsfev1/ready"},
		{"an upgrade at rest", scripts.Postinstall, []string{"configure", "0.1.0"}, false, "fielato.conf; daemon-reload; is-active --quiet fielato", ""},
		{"an upgrade that is undone", scripts.Postinstall, []string{"abort-upgrade", "0.1.0"}, true, "", ""},
		{"before an upgrade", scripts.Preremove, []string{"upgrade", "0.2.0"}, true, "", ""},
		{"before a removal", scripts.Preremove, []string{"remove"}, true, "disable --now fielato", ""},
		{"after an upgrade", scripts.Postremove, []string{"upgrade", "0.2.0"}, true, "", ""},
		{"after a removal", scripts.Postremove, []string{"remove"}, false, "daemon-reload", ""},
		{"after a purge", scripts.Postremove, []string{"purge"}, false, "daemon-reload", ""},
	} {
		folder := t.TempDir()
		log := filepath.Join(folder, "calls")
		status := "1"
		if c.active {
			status = "0"
		}
		stub := "#!" + shell + "\necho \"$@\" >>\"" + log + "\"\ntest \"$1\" != is-active || exit " + status + "\n"
		for _, program := range []string{"systemctl", "systemd-sysusers"} {
			if err := os.WriteFile(filepath.Join(folder, program), []byte(stub), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		command := exec.CommandContext(t.Context(), shell, append([]string{filepath.Join("..", c.script)}, c.arguments...)...)
		command.Env = append(os.Environ(), "PATH="+folder+string(os.PathListSeparator)+os.Getenv("PATH"))
		said, err := command.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, said)
		}
		calls, err := os.ReadFile(log)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(strings.TrimSpace(string(calls)), "\n", "; "); got != c.calls {
			t.Errorf("%s: systemctl is called with %q, want %q", c.name, got, c.calls)
		}
		if !strings.Contains(string(said), c.says) || c.says == "" && len(said) > 0 {
			t.Errorf("%s: it says %q, want %q", c.name, said, c.says)
		}
	}
}

// TestScriptsWithoutSystemd, as in a container, do nothing and do not fail.
func TestScriptsWithoutSystemd(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		return
	}
	scripts := readRecipe(t).NFPMs[0].Scripts
	for _, arguments := range [][]string{{scripts.Postinstall, "configure", ""}, {scripts.Preremove, "remove"}, {scripts.Postremove, "remove"}} {
		command := exec.CommandContext(t.Context(), shell, append([]string{filepath.Join("..", arguments[0])}, arguments[1:]...)...)
		command.Env = []string{"PATH=" + t.TempDir()}
		if said, err := command.CombinedOutput(); err != nil || len(said) > 0 {
			t.Errorf("%v: %v\n%s", arguments, err, said)
		}
	}
}
