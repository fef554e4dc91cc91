package soap_test

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/hostile"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// TestNothingThatIsExportedPanics whatever it is given.
func TestNothingThatIsExportedPanics(t *testing.T) {
	op := operation(t, "FECAESolicitar")
	caller := &hostile.Caller{Only: map[reflect.Type][]any{
		reflect.TypeFor[*wsfev1.Operation](): {(*wsfev1.Operation)(nil), &wsfev1.Operation{}, op},
		reflect.TypeFor[[]soap.Finding]():    {[]soap.Finding(nil), []soap.Finding{{}}, []soap.Finding{{Code: soap.CodeRange}}},
		reflect.TypeFor[soap.Fault]():        {soap.Fault{}, soap.Fault{Code: "\x00", Detail: []soap.Detail{{}, {Name: "\xFF"}, {Name: "a>b"}}, Causes: []soap.Cause{{}, {Code: "\x00", Path: "\xFF"}}}},
	}, Extra: []any{op.NewRequest(), op.NewAnswer(), (*wsfev1.FECAESolicitarRequest)(nil)}}
	var called []string
	for name, function := range map[string]any{
		"AppendAnswer": soap.AppendAnswer, "AppendFault": soap.AppendFault, "AppendRequest": soap.AppendRequest,
		"Members": soap.Members, "PathOf": soap.PathOf, "InfoAt": soap.InfoAt, "Malformed": soap.Malformed, "Open": soap.Open, "Parse": soap.Parse, "WithRecord": soap.WithRecord,
	} {
		caller.Function(t, name, function)
		called = append(called, name)
	}
	for i := range op.Answer.Members {
		soap.Optional(op.Answer, &op.Answer.Members[i])
	}
	soap.Optional(nil, nil)
	called = append(called, "Optional")
	for _, receiver := range []any{
		&soap.Envelope{}, (*soap.Envelope)(nil), &soap.Error{}, (*soap.Error)(nil), &soap.Error{Problem: 255}, soap.Version(255),
		soap.Finding{},
		soap.Constructs(0), ^soap.Constructs(0),
		&soap.Request{}, (*soap.Request)(nil), &soap.Request{Findings: []soap.Finding{{Code: soap.CodeMissing}}},
	} {
		called = append(called, caller.Methods(t, receiver)...)
	}
	hostile.Missing(t, called)
}

// TestMemoryIsThatOfTheItems reads large bodies that make little: their length bounds the memory
// that is allocated.
func TestMemoryIsThatOfTheItems(t *testing.T) {
	const size = 1 << 20
	head, tail, _ := strings.Cut(string(request("FECAESolicitar", auth+`<FeCAEReq><FeCabReq/><FeDetReq>|</FeDetReq></FeCAEReq>`)), "|")
	for name, piece := range map[string]string{
		"empty invoices": `<FECAEDetRequest/>`, "lists": `<FECAEDetRequest><Iva><AlicIva/><AlicIva/><AlicIva/></Iva></FECAEDetRequest>`,
		"unknown elements": `<a/>`, "comments": `<!---->`, "texts": `x<!---->`, "duplicates": `<FECAEDetRequest><MonId/><MonId/></FECAEDetRequest>`,
		"pieces of a text": `<FECAEDetRequest><MonId>a<!---->b&amp;<!----></MonId></FECAEDetRequest>`,
		"attributes":       `<a ` + numbered(60) + `/>`, "deep": strings.Repeat("<a>", 50) + strings.Repeat("</a>", 50),
	} {
		body := []byte(head + strings.Repeat(piece, size/len(piece)) + tail)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		read(t, body)
		runtime.ReadMemStats(&after)
		allocated := after.TotalAlloc - before.TotalAlloc
		if allocated > 40*size {
			t.Errorf("%s: %d MiB for a body of one", name, allocated>>20)
		}
	}
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ` a%d=""`, i)
	}
	return b.String()
}
