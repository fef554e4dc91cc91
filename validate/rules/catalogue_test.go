package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

func TestCodesAreUniqueAndAscending(t *testing.T) {
	last := int32(0)
	for _, rule := range rules.Catalogue() {
		if rule.Code <= last {
			t.Errorf("%d comes after %d", rule.Code, last)
		}
		last = rule.Code
	}
}

func TestEveryRuleSaysWhatItIs(t *testing.T) {
	for _, rule := range rules.Catalogue() {
		if !strings.HasSuffix(rule.Spanish, ".") || !strings.HasSuffix(rule.English, ".") || rule.Spanish == rule.English {
			t.Errorf("%d: Spanish %q, English %q", rule.Code, rule.Spanish, rule.English)
		}
		for _, severity := range rule.Severities {
			if !slices.Contains([]validate.Severity{validate.ERR, validate.SEQ, validate.EXC, validate.OBS}, severity) {
				t.Errorf("%d: severity %q", rule.Code, severity)
			}
		}
		if len(rule.Severities) == 0 {
			t.Errorf("%d has no severity", rule.Code)
		}
		for _, name := range rule.Operations {
			if wsfev1.OperationByName(name) == nil {
				t.Errorf("%d: no operation %s", rule.Code, name)
			}
		}
		if len(rule.Operations) == 0 {
			t.Errorf("%d is about no operation", rule.Code)
		}
	}
}

// TestTheFirmestSentenceOfACodeComesFirst: its level is the default, and the others are named.
func TestTheFirmestSentenceOfACodeComesFirst(t *testing.T) {
	for _, r := range rules.Catalogue() {
		if r.Partly != "" && (r.Partly != validate.Observe || r.Default != validate.Enforce || r.DecidedAt != rules.Edge) {
			t.Errorf("%d is %s by default and partly %s", r.Code, r.Default, r.Partly)
		}
	}
	for code, want := range map[int32]validate.Level{10015: validate.Observe, 10246: validate.Observe, 10048: "", 10210: ""} {
		if rule, _ := rules.RuleByCode(code); rule.Partly != want {
			t.Errorf("%d is partly %q, want %q", code, rule.Partly, want)
		}
	}
}

func TestTheCatalogueIsAsReviewed(t *testing.T) {
	var b strings.Builder
	for _, r := range rules.Catalogue() {
		fmt.Fprintf(&b, "%d %v %s %s %s", r.Code, r.Severities, r.DecidedAt, r.Default, strings.Join(r.Operations, " "))
		if r.Partly != "" {
			fmt.Fprintf(&b, " partly %s", r.Partly)
		}
		if r.StateToo {
			b.WriteString(" state too")
		}
		if r.From != "" || r.Until != "" {
			fmt.Fprintf(&b, " from %q until %q", r.From, r.Until)
		}
		fmt.Fprintf(&b, "\n  %s\n  %s\n", r.Spanish, r.English)
		for _, s := range r.Sources {
			fmt.Fprintf(&b, "  %s: %s", s.Basis, s.Text)
			if s.Exchanges > 0 {
				fmt.Fprintf(&b, " (%d exchanges)", s.Exchanges)
			}
			b.WriteByte('\n')
		}
	}
	validatetest.Golden(t, "catalogue.golden", b.String())
}

func TestTheCatalogueThatIsReturnedIsACopy(t *testing.T) {
	rules.Catalogue()[0].Code = 1
	if rules.Catalogue()[0].Code == 1 {
		t.Error("a caller can change the catalogue")
	}
}

// TestRulesOfTheEdgeHaveExamples, each with the operation that says it.
func TestRulesOfTheEdgeHaveExamples(t *testing.T) {
	for _, rule := range rules.Catalogue() {
		examples := rules.Examples(rule.Code)
		if (len(examples) > 0) != (rule.DecidedAt == rules.Edge) {
			t.Errorf("%d, decided by %s, has %d examples", rule.Code, rule.DecidedAt, len(examples))
		}
		for _, example := range examples {
			operation, _, found := strings.Cut(example, ": ")
			if !found || !slices.Contains(rule.Operations, operation) {
				t.Errorf("%d: %q", rule.Code, example)
			}
		}
	}
}
