package rules_test

import (
	"slices"
	"testing"

	hostiles "github.com/fielato/fielato/internal/hostile"
	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

func TestNothingThatIsExportedPanics(t *testing.T) {
	caller := &hostiles.Caller{Extra: []any{
		"FECAESolicitar", []byte("{}"), []byte("\xff"),
		rules.Options{Contract: "other"},
		rules.Options{Contract: validate.Base, Rules: new(rules.Rules)},
		rules.Settings{MaxInvoices: -1, Levels: map[int32]validate.Level{1: "other"}},
	}}
	for _, op := range append([]*wsfev1.Operation{nil, {}}, wsfev1.Operations...) {
		caller.Extra = append(
			caller.Extra, &validate.Request{Operation: op}, &validate.Request{Operation: op, Body: new(int)},
			&validate.Request{Operation: op, Body: (*wsfev1.FECAEARegInformativoRequest)(nil)}, &validate.Request{Operation: op, Body: op.NewRequest()},
			&validate.Request{Operation: op, Body: &wsfev1.FECAEARegInformativoRequest{
				FeCAEARegInfReq: wsfev1.FeCAEARegInfReq{FeDetReq: wsfev1.FeCAEADetReq{FECAEADetRequest: make([]wsfev1.FECAEADetRequest, 2)}},
			}},
		)
	}
	var called []string
	for name, function := range map[string]any{
		"Catalogue": rules.Catalogue, "Changes": rules.Changes, "Judge": rules.Judge, "NewRules": rules.NewRules, "RuleByCode": rules.RuleByCode,
		"Examples": rules.Examples, "NeedsExtension": rules.NeedsExtension,
	} {
		caller.Function(t, name, function)
		called = append(called, name)
	}
	made, err := rules.NewRules(rules.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for _, receiver := range []any{made, new(rules.Rules), (*rules.Rules)(nil), new(rules.Settings), (*rules.Settings)(nil), rules.Change{}, rules.Changes()[0], rules.Verdict{}, rules.Verdict{Refused: true}} {
		called = append(called, caller.Methods(t, receiver)...)
	}
	hostiles.Missing(t, called)
}

// TestRulesThatNobodyMadeAreTheServicesOwn: a zero value must not judge by tolerances of zero.
func TestRulesThatNobodyMadeAreTheServicesOwn(t *testing.T) {
	name, text := validatetest.Changed(t, "factura-b", "factura-b", []string{"ImpTotal=122.00"})
	req, found := validate.Decode(validatetest.Operation(t, name), text, validate.ARCA)
	if len(found) > 0 {
		t.Fatal(validatetest.Brief(found))
	}
	made, err := rules.NewRules(rules.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	want := made.Judge(req, validatetest.Noon)
	if !validate.Refuses(want) {
		t.Fatalf("a total that does not add up passes: %v", want)
	}
	for name, r := range map[string]*rules.Rules{"zero": {}, "nil": nil} {
		if got := r.Judge(req, validatetest.Noon); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		if r.Level(10048) != made.Level(10048) || r.FCEMinimum(validatetest.Noon) != made.FCEMinimum(validatetest.Noon) {
			t.Errorf("%s: another level or another minimum", name)
		}
	}
}

// TestWhatWasNotReadIsRefused: a request without a body, or with another operation's body,
// must not pass as one without mistakes.
func TestWhatWasNotReadIsRefused(t *testing.T) {
	for _, req := range []*validate.Request{
		nil,
		{},
		{Operation: validatetest.Operation(t, "FECAESolicitar")},
		{Operation: validatetest.Operation(t, "FECAESolicitar"), Body: new(wsfev1.FEDummyRequest)},
	} {
		if found := new(rules.Rules).Judge(req, validatetest.Noon); !validate.Refuses(found) {
			t.Errorf("%+v passes: %v", req, found)
		}
	}
	for _, op := range []*wsfev1.Operation{nil, {}, {Name: "FECAESolicitar"}} {
		if _, found := validate.Decode(op, []byte("{}"), validate.ARCA); !validate.Refuses(found) {
			t.Errorf("%+v passes: %v", op, found)
		}
	}
}
