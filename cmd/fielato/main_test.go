package main

import (
	"cmp"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/testrun"
)

// asCommand makes the process of the tests be the command.
const asCommand = "FIELATO_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
		return
	}
	testrun.Main(m, nil)
}

// fielato runs the command and returns what it prints on standard output.
func fielato(t *testing.T, arguments ...string) string {
	t.Helper()
	printed, errs, status := fielatoIn(t, t.TempDir(), arguments...)
	if status != 0 {
		t.Errorf("%v: status %d: %s", arguments, status, errs)
	}
	return printed
}

// fielatoIn runs the command in a folder. No admin API is at work where it looks for one.
func fielatoIn(t *testing.T, folder string, arguments ...string) (out, errs string, status int) {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], arguments...)
	home := t.TempDir()
	command.Dir = folder
	command.Env = append(os.Environ(), asCommand+"=1", "HOME="+home, "XDG_DATA_HOME="+home, "XDG_CONFIG_HOME="+home, "CADDY_ADMIN="+cmp.Or(os.Getenv("CADDY_ADMIN"), nowhere))
	var stdout, stderr strings.Builder
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), command.ProcessState.ExitCode()
}

// nowhere is an address at which nothing listens: the port is reserved.
const nowhere = "127.0.0.1:1"

// TestVersionNamesFielatoFirst, and then the Caddy that it is.
func TestVersionNamesFielatoFirst(t *testing.T) {
	want := regexp.MustCompile(`^Fielato \S+( \([0-9a-f]{12}[^)]*\))?, Caddy v2\.\d+\.\d+`)
	for _, arguments := range [][]string{{"version"}, {"--version"}, {"wsfev1", "--version"}} {
		printed := fielato(t, arguments...)
		if !want.MatchString(printed) || strings.Count(printed, "\n") != 1 {
			t.Errorf("%v prints %q, want a line like %s", arguments, printed, want)
		}
	}
}

// TestVersionAsJSONIsTheSameFromBothCommands, and names this program by its digest.
func TestVersionAsJSONIsTheSameFromBothCommands(t *testing.T) {
	printed := fielato(t, "version", "--json")
	if again := fielato(t, "wsfev1", "version", "--json"); printed != again {
		t.Errorf("version prints\n%s, and wsfev1 version\n%s", printed, again)
	}
	for _, want := range []string{
		`"module": "github.com/fielato/fielato"`, `"go": "` + runtime.Version() + `"`, `"caddy": "v2.`,
		`"executable_sha256": "`,
	} {
		if !strings.Contains(printed, want) {
			t.Errorf("%s is not in\n%s", want, printed)
		}
	}
}

// TestHelpSpeaksOfFielatoFirst, and tells that the rest is Caddy's.
func TestHelpSpeaksOfFielatoFirst(t *testing.T) {
	for _, arguments := range [][]string{{"--help"}, {"help"}, {}} {
		printed := fielato(t, arguments...)
		if !strings.HasPrefix(printed, "Fielato stands in front of ") {
			first, _, _ := strings.Cut(printed, "\n")
			t.Errorf("%v begins with %q", arguments, first)
		}
		for _, want := range []string{"\n  fielato [command]\n", "\n  wsfev1 ", "Caddy (https://caddyserver.com)"} {
			if !strings.Contains(printed, want) {
				t.Errorf("%v lacks %q", arguments, want)
			}
		}
	}
}

// TestCommandsInTheHelpAreThere: each line of the help that begins with $ names a command.
func TestCommandsInTheHelpAreThere(t *testing.T) {
	lines := regexp.MustCompile(`(?m)^\t\$ fielato (.*?)(?: --.*| \d+)?$`).FindAllStringSubmatch(help, -1)
	if len(lines) < 6 {
		t.Fatalf("only %d lines", len(lines))
	}
	for _, line := range lines {
		printed := fielato(t, append(strings.Fields(line[1]), "--help")...)
		if usage := "\n  fielato " + line[1] + " "; !strings.Contains(printed, usage) {
			t.Errorf("%s: the help lacks %q", line[0], usage)
		}
	}
}

// TestShortFormsAreThere, in the help and for completion, and do the same as the long ones.
func TestShortFormsAreThere(t *testing.T) {
	overview := fielato(t, "--help")
	for _, name := range []string{"init", "doctor"} {
		if !strings.Contains(overview, "\n  "+name+" ") {
			t.Errorf("the help lacks %s", name)
		}
		if offered := fielato(t, "__complete", name[:2]); !strings.HasPrefix(offered, name+"\t") {
			t.Errorf("completion offers %s", offered)
		}
		for _, arguments := range [][]string{{"help", name}, {name, "--help"}} {
			if printed := fielato(t, arguments...); !strings.Contains(printed, "\n  fielato "+name+" ") || strings.Contains(printed, "fielato wsfev1") {
				t.Errorf("%v:\n%s", arguments, printed)
			}
		}
	}
	if got, want := fielato(t, "init", "forward", "-"), fielato(t, "wsfev1", "init", "forward", "-"); got != want || got == "" {
		t.Errorf("init writes %q, want %q", got, want)
	}
	if strings.Contains(overview, "\n  upgrade ") {
		t.Error("a command is shown that would put Caddy's program in the place of this one")
	}
	if strings.Contains(overview, "fielato-program") || strings.Contains(fielato(t, "__complete", ""), "fielato-program") {
		t.Error("the command by which the program starts is shown")
	}
}

// TestInitNamesTheNextCommands, which take what it has written.
func TestInitNamesTheNextCommands(t *testing.T) {
	for file, want := range map[string]string{
		"":               "fielato doctor, then fielato run\n",
		"demo.caddyfile": "fielato doctor --config demo.caddyfile, then fielato run --config demo.caddyfile\n",
		"demo.conf":      "fielato doctor --config demo.conf --adapter caddyfile, then fielato run --config demo.conf --adapter caddyfile\n",
	} {
		folder, arguments := t.TempDir(), []string{"init"}
		if file != "" {
			arguments = append(arguments, "demo", file)
		}
		if _, errs, status := fielatoIn(t, folder, arguments...); status != 0 || !strings.HasSuffix(errs, "Next: "+want) {
			t.Errorf("%v: status %d: %s", arguments, status, errs)
		}
	}
}

// TestHelpLeadsToOurPages: Caddy's own know nothing of our commands.
func TestHelpLeadsToOurPages(t *testing.T) {
	for _, line := range []string{"wsfev1", "wsfev1 audit search", "wsfev1 init", "init", "doctor"} {
		printed := fielato(t, append(strings.Fields(line), "--help")...)
		if !strings.Contains(printed, "github.com/fielato/fielato") || strings.Contains(printed, "caddyserver.com/docs/command-line") {
			t.Errorf("%s --help:\n%s", line, printed)
		}
	}
	overview := fielato(t, "--help")
	if strings.Contains(overview, "$ caddy") || !strings.Contains(overview, "\n  $ fielato init\n") {
		t.Errorf("the examples are Caddy's:\n%s", overview)
	}
	for line := range strings.Lines(overview) { // they find the trail of the Caddyfile that init writes
		_, store, isSearch := strings.Cut(line, " audit ")
		_, path, found := strings.Cut(store, "--store sqlite:")
		path, _, _ = strings.Cut(strings.TrimSpace(path), " ")
		if isSearch && (!found || !strings.Contains(fielato(t, "init", "demo", "-"), "audit sqlite {$FIELATO_AUDIT:"+path+"}")) {
			t.Errorf("init makes no trail at %q: %s", path, line)
		}
	}
	if printed := fielato(t, "run", "--help"); !strings.Contains(printed, "https://caddyserver.com/docs/command-line") {
		t.Errorf("run --help:\n%s", printed)
	}
}

// TestHintsForABeginner, where Caddy's own commands give none. The status stays Caddy's.
func TestHintsForABeginner(t *testing.T) {
	for line, want := range map[string]struct {
		status int
		text   string
	}{
		"run --confg x":             {1, "unknown flag: --confg; did you mean --config?"},
		"validate --cofnig x":       {1, "did you mean --config?"},
		"inti":                      {1, "Did you mean this?\n\tinit"},
		"reload --config Caddyfile": {1, "no gateway runs there: `fielato run` starts one"},
		"stop":                      {1, "no gateway runs there"},
		"completion":                {1, "name a shell: bash, zsh, fish or powershell"},
		"completion csh":            {1, "name a shell"},
		"upgrade":                   {1, "install the next release of Fielato"},
		"add-package example.com/x": {1, "install the next release of Fielato"},
		"remove-package":            {1, "install the next release of Fielato"},
		"wsfev1 audit nope":         {2, "unknown command"},
		"init --fil x":              {2, "unknown flag: --fil"},
		"init forwad":               {2, "did you mean forward?"},
	} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "Caddyfile"), []byte(":0 {\n}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, errs, status := fielatoIn(t, folder, strings.Fields(line)...); status != want.status || !strings.Contains(errs, want.text) {
			t.Errorf("%s: status %d, want %d, %q:\n%s", line, status, want.status, want.text, errs)
		}
	}
}

// TestRunWithoutACaddyfileSaysSo. The address of its admin API is taken, so that it ends.
func TestRunWithoutACaddyfileSaysSo(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	t.Setenv("CADDY_ADMIN", taken.Addr().String())
	const want = "there is no Caddyfile in this folder, so nothing is served: `fielato init` writes one"
	folder := t.TempDir()
	if _, errs, _ := fielatoIn(t, folder, "run"); !strings.Contains(errs, want) {
		t.Errorf("%s", errs)
	}
	if _, errs, _ := fielatoIn(t, folder, "run", "--config", "none"); strings.Contains(errs, want) {
		t.Errorf("%s", errs)
	}
}
