package view

import (
	"strconv"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
)

// maxCodes is how many codes a row of a table shows.
const maxCodes = 3

func codesCell(r *audit.Record) string {
	all := r.Codes()
	if more := len(all) - maxCodes; more > 0 {
		all = append(all[:maxCodes:maxCodes], "+"+number(int64(more)))
	}
	return strings.Join(all, " ")
}

// ExplanationOf explains a finding in Spanish, with its values.
func ExplanationOf(f *audit.Finding) string {
	return validate.Finding{
		Text: f.Text, Expected: f.Expected, Got: f.Got, Difference: f.Difference, Tolerance: f.Tolerance,
	}.Explanation()
}

// rulesByCode is the catalogue by code.
var rulesByCode = func() map[string]*rules.Rule {
	byCode := map[string]*rules.Rule{}
	for _, rule := range rules.Catalogue() {
		byCode[strconv.Itoa(int(rule.Code))] = &rule
	}
	return byCode
}()
