package rules_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
)

// The forms that the texts of sources have.
var (
	manualForm     = regexp.MustCompile(`^Manual del desarrollador WSFEv1 \(RG 4291\) v4\.7, .+ \(pág\. \d+(-\d+)?\), código (\d+)$`)
	resolutionForm = regexp.MustCompile(`^(RG|Res\.) \d+/\d{4}, (docs/sources\.md#\S+)$`)
	pageForm       = regexp.MustCompile(`^docs/sources\.md#\S+$`)
)

// TestEveryRuleSaysWhatItRestsOn: a section of the manual, with the code that is meant, a
// resolution by its number, or a place in docs/sources.md.
func TestEveryRuleSaysWhatItRestsOn(t *testing.T) {
	for _, rule := range rules.Catalogue() {
		if len(rule.Sources) == 0 {
			t.Errorf("%d rests on nothing", rule.Code)
		}
		for _, s := range rule.Sources {
			ok := false
			switch s.Basis {
			case rules.Manual:
				code := manualForm.FindStringSubmatch(s.Text)
				ok = code != nil && code[2] == fmt.Sprint(rule.Code) && s.Exchanges == 0
			case rules.Resolution:
				ok = resolutionForm.MatchString(s.Text) && s.Exchanges == 0
			case rules.Observed:
				ok = pageForm.MatchString(s.Text) && s.Exchanges >= 0
			case rules.Inferred:
				ok = pageForm.MatchString(s.Text) && s.Exchanges == 0
			}
			if !ok {
				t.Errorf("%d: %+v", rule.Code, s)
			}
		}
	}
}

// TestNoRuleClaimsATableThatIsNotIts: the operation of the table is one that has the code.
func TestNoRuleClaimsATableThatIsNotIts(t *testing.T) {
	for _, rule := range rules.Catalogue() {
		for _, s := range rule.Sources {
			_, table, _ := strings.Cut(s.Text, "v4.7, ")
			operation, _, _ := strings.Cut(table, ",")
			if s.Basis == rules.Manual && !strings.HasPrefix(operation, "Tratamiento de errores") && !slices.Contains(rule.Operations, operation) {
				t.Errorf("%d of %v: %s", rule.Code, rule.Operations, s.Text)
			}
		}
	}
}

// TestWhatIsConcludedSaysSo: a conclusion is not presented as a statement of the manual.
func TestWhatIsConcludedSaysSo(t *testing.T) {
	for code, want := range map[int32][]rules.Basis{
		10048: {rules.Manual, rules.Observed},
		10015: {rules.Manual, rules.Resolution, rules.Inferred, rules.Observed},
		703:   {rules.Manual, rules.Inferred},
		10209: {rules.Manual, rules.Inferred},
		10014: {rules.Manual, rules.Resolution, rules.Inferred},
		10008: {rules.Manual},
		10225: {rules.Manual, rules.Inferred},
	} {
		rule, _ := rules.RuleByCode(code)
		var got []rules.Basis
		for _, s := range rule.Sources {
			if !slices.Contains(got, s.Basis) {
				got = append(got, s.Basis)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d rests on %v, want %v", code, got, want)
		}
	}
	rule, _ := rules.RuleByCode(10217)
	if i := slices.IndexFunc(rule.Sources, func(s rules.Source) bool { return s.Basis == rules.Observed }); i < 0 || rule.Sources[i].Exchanges != 7 {
		t.Errorf("10217 was observed: %+v", rule.Sources)
	}
}

// TestAFindingHasTheSourceOfItsRule and of no other sentence of the same code.
func TestAFindingHasTheSourceOfItsRule(t *testing.T) {
	verdict, _ := verdictOn(t, atNoon, "factura-b", "Concepto=9")
	i := slices.IndexFunc(verdict.Findings, func(f validate.Finding) bool { return f.Code == "10030" })
	if i < 0 || !manualForm.MatchString(verdict.Findings[i].Source) {
		t.Errorf("%v: source of 10030", validatetest.Brief(verdict.Findings))
	}
}

// TestASentenceClaimsNoMoreThanItRestsOn: of one code with several sentences, each finding has
// the sources of its own.
func TestASentenceClaimsNoMoreThanItRestsOn(t *testing.T) {
	for _, c := range []struct{ template, change, code, want string }{
		{"factura-a", "DocNro=1", "10015", "docs/sources.md#observed-codes; docs/sources.md#receiver-numbers"},
		{"factura-c", "DocTipo=80 DocNro=123", "10015", "docs/sources.md#class-c; docs/sources.md#receiver-numbers"},
		{"factura-c", "DocTipo=77", "10015", "docs/sources.md#class-c"},
	} {
		verdict, _ := verdictOn(t, atNoon, c.template, strings.Fields(c.change)...)
		i := slices.IndexFunc(verdict.Findings, func(f validate.Finding) bool { return f.Code == c.code })
		if i < 0 || verdict.Findings[i].Source != c.want {
			t.Errorf("%s %s: %+v, want source %s", c.template, c.change, verdict.Findings, c.want)
		}
	}
}

// TestTheObservedCodesAreListed in docs/sources.md, with the number of their exchanges.
func TestTheObservedCodesAreListed(t *testing.T) {
	text, err := os.ReadFile("../../docs/sources.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "### Observed codes\n")
	section, _, _ = strings.Cut(section, "\n#")
	recorded, reported, _ := strings.Cut(section, "Authors report")
	for _, rule := range rules.Catalogue() {
		i := slices.IndexFunc(rule.Sources, func(s rules.Source) bool { return strings.HasSuffix(s.Text, "#observed-codes") })
		code := regexp.MustCompile(`\b` + fmt.Sprint(rule.Code) + `\b`)
		switch {
		case i < 0:
			if code.MatchString(section) {
				t.Errorf("%d is listed and not observed", rule.Code)
			}
		case rule.Sources[i].Exchanges == 0:
			if !code.MatchString(reported) || code.MatchString(recorded) {
				t.Errorf("%d is not listed among what is reported", rule.Code)
			}
		default:
			// The number stands behind the last code of those that have it.
			at := code.FindStringIndex(recorded)
			if at == nil {
				t.Errorf("%d is not listed among what was recorded", rule.Code)
				continue
			}
			count, _, _ := strings.Cut(recorded[at[1]:], ")")
			if !strings.HasSuffix(count, fmt.Sprintf("(%d", rule.Sources[i].Exchanges)) {
				t.Errorf("%d was recorded %d times, listed: %s", rule.Code, rule.Sources[i].Exchanges, count)
			}
		}
	}
}

// TestThePlacesThatSourcesNameAreThere in docs/sources.md.
func TestThePlacesThatSourcesNameAreThere(t *testing.T) {
	text, err := os.ReadFile("../../docs/sources.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range rules.Catalogue() {
		for _, s := range rule.Sources {
			_, anchor, named := strings.Cut(s.Text, "docs/sources.md#")
			heading := regexp.MustCompile(`(?im)^#+ ` + strings.ReplaceAll(anchor, "-", " ") + `$`)
			if named && !heading.Match(text) {
				t.Errorf("%d: no %s in docs/sources.md", rule.Code, anchor)
			}
		}
	}
}
