package intake_test

import (
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/intake"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
)

// TestTheLevelOfARuleHasAnOrigin, and agrees with what follows from its findings.
func TestTheLevelOfARuleHasAnOrigin(t *testing.T) {
	named := map[string]validate.Level{"10048": validate.Enforce, "10051": validate.Observe, "10015": validate.Off}
	for _, test := range []struct {
		book   intake.Book
		code   int32
		level  validate.Level
		origin intake.Origin
	}{
		{intake.Book{}, 10048, validate.Enforce, intake.FromDefault},
		{intake.Book{}, 10245, validate.Observe, intake.FromDefault},
		{intake.Book{}, 10246, validate.Enforce, intake.FromDefault},
		{intake.Book{}, 600, "", intake.FromService},
		{intake.Book{Contract: validate.Base}, 10246, validate.Observe, intake.FromContract},
		{intake.Book{Contract: validate.Base}, 10048, validate.Enforce, intake.FromDefault},
		{intake.Book{Contract: validate.Base, Named: map[string]validate.Level{"10246": validate.Enforce}}, 10246, validate.Enforce, intake.FromRule},
		{intake.Book{Observe: true}, 10048, validate.Observe, intake.FromMode},
		{intake.Book{Observe: true}, 10245, validate.Observe, intake.FromDefault},
		{intake.Book{Observe: true, Named: named}, 10048, validate.Enforce, intake.FromRule},
		{intake.Book{Observe: true, Named: named}, 10015, validate.Off, intake.FromRule},
		{intake.Book{Named: named}, 10051, validate.Observe, intake.FromRule},
	} {
		rule, _ := rules.RuleByCode(test.code)
		level, origin := test.book.LevelOf(&rule)
		if level != test.level || origin != test.origin {
			t.Errorf("%d with %+v: %q by %q, want %q by %q", test.code, test.book, level, origin, test.level, test.origin)
		}
	}
}

// TestOneRuleIsEnforcedWhileAllOthersObserve, as in the gateway.
func TestOneRuleIsEnforcedWhileAllOthersObserve(t *testing.T) {
	book := intake.Book{Observe: true, Named: map[string]validate.Level{"10048": validate.Enforce}}
	for code, want := range map[string]validate.Action{"10048": validate.ActionRefuse, "10051": validate.ActionObserve} {
		if got := book.Action(validate.Finding{Code: code, Action: validate.ActionRefuse}); got != want {
			t.Errorf("%s: %s, want %s", code, got, want)
		}
	}
}
