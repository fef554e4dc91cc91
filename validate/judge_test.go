package validate_test

import (
	"testing"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
)

// newRules returns the rules as they are without settings.
func newRules(t testing.TB) *rules.Rules {
	t.Helper()
	rules, err := rules.NewRules(rules.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// judge reads a body that must be of right shape and returns the findings of the rules.
func judge(t testing.TB, name, text string) (*validate.Request, []validate.Finding) {
	t.Helper()
	req, found := validate.Decode(validatetest.Operation(t, name), []byte(text), validate.ARCA)
	if len(found) > 0 {
		t.Fatalf("%v in %s", validatetest.Brief(found), text)
	}
	return req, newRules(t).Judge(req, validatetest.Noon)
}
