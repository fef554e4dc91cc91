package command

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fielato/fielato/validate/rules"
)

// TestRulesAreCutOnATerminalAlone: a pipe gets every letter.
func TestRulesAreCutOnATerminalAlone(t *testing.T) {
	var terminal, pipe bytes.Buffer
	if err := printRuleTable(&terminal, rules.Catalogue(), false, true); err != nil {
		t.Fatal(err)
	}
	if err := printRuleTable(&pipe, rules.Catalogue(), false, false); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(terminal.String()) {
		if width := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); width > tableWidth {
			t.Errorf("%d columns: %s", width, line)
		}
	}
	if !strings.Contains(terminal.String(), "…") || strings.Contains(pipe.String(), "…") {
		t.Errorf("the terminal gets\n%s\nthe pipe\n%s", &terminal, &pipe)
	}
	for _, rule := range rules.Catalogue() {
		if !strings.Contains(pipe.String(), "  "+rule.English+"\n") || !strings.Contains(pipe.String(), rule.Operations[0]) {
			t.Errorf("the pipe lacks a text of rule %d", rule.Code)
		}
	}
}
