package rules_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate/rules"
)

// TestMessagesAreAsTheyWereRead holds every message of the rules, with its figures, against the
// file that a person has read aloud; -update writes it anew. Of the messages that differ only in
// figures the first stands for all.
func TestMessagesAreAsTheyWereRead(t *testing.T) {
	said := map[int32][]string{}
	for _, c := range readEdgeCases(t) {
		if !c.breaks {
			continue
		}
		operation, body := validatetest.Changed(t, c.where, c.template, c.changes)
		for _, f := range judgeBody(t, c.where, operation, body, c.settings, c.now) {
			line := fmt.Sprintf("  %s: %s", operation, f.Explanation())
			alike := func(other string) bool { return withoutFigures(other) == withoutFigures(line) }
			if f.Code == strconv.Itoa(int(c.rule)) && !slices.ContainsFunc(said[c.rule], alike) {
				said[c.rule] = append(said[c.rule], line)
			}
		}
	}
	var b strings.Builder
	for _, rule := range rules.Catalogue() {
		fmt.Fprintf(&b, "%d\n", rule.Code)
		if len(said[rule.Code]) == 0 { // decided by state: the message is the rule's own
			said[rule.Code] = []string{"  " + rule.Spanish}
		}
		b.WriteString(strings.Join(said[rule.Code], "\n") + "\n")
	}
	validatetest.Golden(t, "messages.golden", b.String())
}

// withoutFigures puts one sign for each run of digits.
func withoutFigures(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r >= '0' && r <= '9' }), "#")
}
