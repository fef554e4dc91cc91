package story

import (
	"strconv"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
)

// ExplanationOf explains a finding in Spanish, with its values.
func ExplanationOf(f *audit.Finding) string {
	return validate.Finding{
		Text: f.Text, Expected: f.Expected, Got: f.Got, Difference: f.Difference, Tolerance: f.Tolerance,
	}.Explanation()
}

// RuleText returns the text of a rule in Spanish; empty for a code that is no rule's.
func RuleText(code string) string {
	if rule := rulesByCode[code]; rule != nil {
		return rule.Spanish
	}
	return ""
}

// RuleInWords returns the mistake that a rule finds, in one sentence in Spanish. It is empty if the code is
// no rule's, or stands for several mistakes: then only the finding says which.
func RuleInWords(code string) string {
	text := RuleText(code)
	if strings.Contains(text, ". ") {
		return ""
	}
	return text
}

// CureInWords returns what to do about a code that the service alone decides, in Spanish; no text for
// most codes.
func CureInWords(code string) string {
	if rule := rulesByCode[code]; rule != nil {
		return rule.Cure
	}
	return ""
}

// rulesByCode is the catalogue by code.
var rulesByCode = func() map[string]*rules.Rule {
	byCode := map[string]*rules.Rule{}
	for _, rule := range rules.Catalogue() {
		byCode[strconv.Itoa(int(rule.Code))] = &rule
	}
	return byCode
}()
