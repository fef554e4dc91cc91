package caddymodule

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/validate"
)

// remark is what an answer says is wrong: an element of its Errors or Observaciones.
type remark struct {
	// Code is a number, or a word in the error body of the contract.
	Code, Msg string
	// Observed tells that it stands in Observaciones: it is about one invoice.
	Observed bool
}

// remarksOf reads the remarks off an answer of any operation, in its order. It goes
// by the names of the members alone and stops at what is no JSON: an answer that is
// not the operation's is where a reader needs its codes most. Events are no remarks.
func remarksOf(answer []byte) []remark {
	var all []remark
	var within jsontext.Pointer
	d := jsontext.NewDecoder(bytes.NewReader(answer), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		token, err := d.ReadToken()
		if err != nil {
			return all
		}
		at := d.StackPointer()
		name := at.LastToken()
		if kind, length := d.StackIndex(d.StackDepth()); kind != '{' || length%2 != 0 || name != "Code" && name != "Msg" {
			continue
		}
		list := at.Parent().Parent().LastToken()
		if list != "Err" && list != "Obs" || token.Kind() != '"' && token.Kind() != '0' {
			continue
		}
		if len(all) == 0 || at.Parent() != within {
			within = at.Parent()
			all = append(all, remark{Observed: list == "Obs"})
		}
		if last := &all[len(all)-1]; name == "Code" {
			last.Code = token.String()
		} else {
			last.Msg = token.String()
		}
	}
}

// codesOf returns what was found wrong with an exchange, by the gateway and by the
// service, each code once.
func codesOf(r *audit.Record) []string {
	var all []string
	for _, f := range r.Findings {
		all = append(all, f.Code)
	}
	for _, one := range remarksOf(r.Answer) {
		all = append(all, one.Code)
	}
	seen := map[string]bool{"": true}
	return slices.DeleteFunc(all, func(code string) bool {
		had := seen[code]
		seen[code] = true
		return had
	})
}

// maxCodes is how many codes a row of a table has room for.
const maxCodes = 3

func codesCell(r *audit.Record) string {
	all := codesOf(r)
	if more := len(all) - maxCodes; more > 0 {
		all = append(all[:maxCodes:maxCodes], "+"+number(int64(more)))
	}
	return strings.Join(all, " ")
}

// explanationOf is a finding in Spanish, with its values.
func explanationOf(f *audit.Finding) string {
	return validate.Finding{
		Text: f.Text, Expected: f.Expected, Got: f.Got, Difference: f.Difference, Tolerance: f.Tolerance,
	}.Explanation()
}

// rulesByCode is the catalogue by the code's text.
var rulesByCode = func() map[string]*validate.Rule {
	rules := map[string]*validate.Rule{}
	for _, rule := range validate.Catalogue() {
		rules[codeLabel(rule.Code)] = &rule
	}
	return rules
}()
