package validate_test

import (
	"reflect"
	"testing"

	"github.com/fielato/fielato/internal/hostile"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// hostileCaller has requests that nobody read: without operation, without body, with the body of
// another operation, and findings about invoices that a lot does not have.
func hostileCaller() *hostile.Caller {
	caller := &hostile.Caller{Extra: []any{
		[]byte("{}"), []byte("\xff"), []byte(`{"Auth":`), new(int), 1, reflect.TypeFor[int](),
		[]validate.Finding{{Invoice: 1 << 40, Severity: validate.EXC, Action: validate.ActionRefuse}, {Invoice: -7, Action: validate.ActionRefuse}},
		[]validate.Finding{{Invoice: 0, Severity: validate.EXC, Action: validate.ActionRefuse}, {Invoice: validate.Header, Severity: validate.ERR, Code: "x"}},
	}}
	for _, op := range append([]*wsfev1.Operation{nil, {}}, wsfev1.Operations...) {
		caller.Extra = append(
			caller.Extra, op, &validate.Request{Operation: op}, &validate.Request{Operation: op, Body: new(int)},
			&validate.Request{Operation: op, Body: (*wsfev1.FECAESolicitarRequest)(nil)}, &validate.Request{Operation: op, Body: op.NewRequest()},
			&validate.Request{Operation: op, Body: &wsfev1.FECAESolicitarRequest{
				FeCAEReq: wsfev1.FeCAEReq{FeDetReq: wsfev1.FeCAEDetReq{FECAEDetRequest: make([]wsfev1.FECAEDetRequest, 2)}},
			}},
			op.NewAnswer(),
		)
		if op != nil && op.Request != nil {
			caller.Extra = append(caller.Extra, op.Answer)
		}
	}
	return caller
}

func TestNothingThatIsExportedPanics(t *testing.T) {
	caller := hostileCaller()
	var called []string
	for name, function := range map[string]any{
		"ActionAt": validate.ActionAt, "Decode": validate.Decode, "DecodeUpTo": validate.DecodeUpTo, "DecodeAnswer": validate.DecodeAnswer, "IsReadable": validate.IsReadable,
		"DecodeSOAP": validate.DecodeSOAP, "OfSOAP": validate.OfSOAP, "FromSOAP": validate.FromSOAP, "FromSOAPAnswer": validate.FromSOAPAnswer,
		"ParseContract": validate.ParseContract, "DayText": validate.DayText, "Printable": validate.Printable, "Refusal": validate.Refusal, "Malformed": validate.Malformed, "IssuerFinding": validate.IssuerFinding,
		"Reached": validate.Reached, "Refuses": validate.Refuses, "ShapeCodes": validate.ShapeCodes, "SortFindings": validate.SortFindings,
		"LacksTicket": validate.LacksTicket, "TicketFinding": validate.TicketFinding, "Unauthenticated": validate.Unauthenticated, "UnknownOperation": validate.UnknownOperation,
	} {
		caller.Function(t, name, function)
		called = append(called, name)
	}
	for _, receiver := range []any{
		validate.Contract("other"), validate.Severity("other"),
		validate.Finding{},
		validate.Finding{Code: "\xff", Difference: "\xff"},
		&validate.Request{}, (*validate.Request)(nil), &validate.Request{Operation: &wsfev1.Operation{}},
	} {
		called = append(called, caller.Methods(t, receiver)...)
	}
	hostile.Missing(t, called)
}
