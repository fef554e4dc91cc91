package main

import (
	"os"
	"os/exec"
	"regexp"
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
	command := exec.CommandContext(t.Context(), os.Args[0], arguments...)
	home := t.TempDir()
	command.Env = append(os.Environ(), asCommand+"=1", "HOME="+home, "XDG_DATA_HOME="+home, "XDG_CONFIG_HOME="+home)
	printed, err := command.Output()
	if err != nil {
		t.Errorf("%v: %v", arguments, err)
	}
	return string(printed)
}

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

// TestShortNames: init and doctor need no wsfev1 before them.
func TestShortNames(t *testing.T) {
	if printed := fielato(t, "init", "demo", "-"); !strings.Contains(printed, "wsfev1_backend") {
		t.Errorf("init prints %s", printed)
	}
	if printed := fielato(t, "doctor", "--help"); !strings.Contains(printed, "fielato wsfev1 doctor [flags]") {
		t.Errorf("doctor --help prints %s", printed)
	}
}
