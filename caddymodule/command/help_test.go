package command_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// invocation is a command in an example, without redirections and other syntax of the shell.
var invocation = regexp.MustCompile(`(xargs [^|\n]*)?fielato (wsfev1 [^|>#)\n]*)`)

// TestEveryCommandHasAnExample that its flags and arguments take.
func TestEveryCommandHasAnExample(t *testing.T) {
	for _, c := range caddytest.Commands(t) {
		if c.Short == "" || !c.Runnable() {
			t.Errorf("%s: no help", c.Use)
		}
		lines := invocation.FindAllStringSubmatch(c.Example, -1)
		if len(lines) == 0 {
			t.Errorf("%s: no example", c.Use)
		}
		for _, line := range lines {
			arguments := strings.Fields(line[2])[1:]
			if line[1] != "" {
				arguments = append(arguments, "FILE") // xargs does
			}
			// Commands remember the flags that they were given: new ones for each line.
			found, rest, err := caddytest.Commands(t)[0].Find(arguments)
			if err != nil {
				t.Errorf("%s: %v", line[0], err)
				continue
			}
			if !c.HasSubCommands() && found.Name() != c.Name() {
				t.Errorf("%s: stands at %s", line[0], c.Use)
			}
			if err := found.ParseFlags(rest); err != nil {
				t.Errorf("%s: %v", line[0], err)
			} else if err := found.ValidateArgs(found.Flags().Args()); err != nil {
				t.Errorf("%s: %v", line[0], err)
			} else if err := found.ValidateRequiredFlags(); err != nil {
				t.Errorf("%s: %v", line[0], err)
			}
		}
	}
}

// TestTheHelpListsTheCommandsByPurpose: each below a title, and with a short sentence.
func TestTheHelpListsTheCommandsByPurpose(t *testing.T) {
	for line, want := range map[string]string{
		"--help":       "\nSet up and mend:\n  doctor ",
		"":             "\nEvidence:\n  audit ",
		"audit --help": "\nVerify the trail:\n  checkpoint ",
		"audit":        "\nRetention and encryption:\n  hold ",
	} {
		if out := words(line).out; !strings.Contains(out, want) || strings.Contains(out, "\nAdditional Commands:\n") {
			t.Errorf("%q:\n%s", line, out)
		}
	}
}
