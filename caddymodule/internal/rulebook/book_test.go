package rulebook_test

import (
	"testing"

	"github.com/fielato/fielato/caddymodule/internal/rulebook"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
)

// TestTheLevelOfARuleHasAnOrigin, and agrees with what follows from its findings.
func TestTheLevelOfARuleHasAnOrigin(t *testing.T) {
	named := map[string]validate.Level{"10048": validate.Enforce, "10051": validate.Observe, "10015": validate.Off}
	for _, test := range []struct {
		book   rulebook.Book
		code   int32
		level  validate.Level
		origin rulebook.Origin
	}{
		{rulebook.Book{}, 10048, validate.Enforce, rulebook.FromDefault},
		{rulebook.Book{}, 10245, validate.Observe, rulebook.FromDefault},
		{rulebook.Book{}, 10246, validate.Enforce, rulebook.FromDefault},
		{rulebook.Book{}, 600, "", rulebook.FromService},
		{rulebook.Book{Contract: validate.Base}, 10246, validate.Observe, rulebook.FromContract},
		{rulebook.Book{Contract: validate.Base}, 10048, validate.Enforce, rulebook.FromDefault},
		{rulebook.Book{Contract: validate.Base, Named: map[string]validate.Level{"10246": validate.Enforce}}, 10246, validate.Enforce, rulebook.FromRule},
		{rulebook.Book{Observe: true}, 10048, validate.Observe, rulebook.FromMode},
		{rulebook.Book{Observe: true}, 10245, validate.Observe, rulebook.FromDefault},
		{rulebook.Book{Observe: true, Named: named}, 10048, validate.Enforce, rulebook.FromRule},
		{rulebook.Book{Observe: true, Named: named}, 10015, validate.Off, rulebook.FromRule},
		{rulebook.Book{Named: named}, 10051, validate.Observe, rulebook.FromRule},
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
	book := rulebook.Book{Observe: true, Named: map[string]validate.Level{"10048": validate.Enforce}}
	for code, want := range map[string]validate.Action{"10048": validate.ActionRefuse, "10051": validate.ActionObserve} {
		if got := book.Action(validate.Finding{Code: code, Action: validate.ActionRefuse}); got != want {
			t.Errorf("%s: %s, want %s", code, got, want)
		}
	}
}
