package validate_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// FuzzDecode holds Decode against a second way to the same verdict: the strict
// decoder of the JSON library into the typed request, and a walk over the untyped
// document for what that decoder lets pass.
func FuzzDecode(f *testing.F) {
	for i, op := range wsfev1.Operations {
		f.Add(byte(i), true, []byte(sample(op.Request, true).text()))
		f.Add(byte(i), false, []byte(sample(op.Request, false).text()))
	}
	for _, text := range oddDocuments {
		f.Add(byte(0), true, []byte(text))
		f.Add(byte(3), false, []byte(text))
	}
	rules := newRules(f)
	f.Fuzz(func(t *testing.T, index byte, extended bool, text []byte) {
		op, contract := wsfev1.Operations[int(index)%len(wsfev1.Operations)], validate.Base
		if extended {
			contract = validate.ARCA
		}
		given := bytes.Clone(text)
		req, found := validate.Decode(op, text, contract)
		if !bytes.Equal(given, text) {
			t.Fatal("the body was changed")
		}
		if twice, alike := validate.DecodeChecked(op, text, contract); !reflect.DeepEqual(req, twice) || !reflect.DeepEqual(found, alike) {
			t.Fatalf("%s reads at once as\n%+v %v\nand checked as\n%+v %v\nin %q", op.Name, req, found, twice, alike, text)
		}
		rules.Judge(req, validatetest.Noon)
		typed := op.NewRequest()
		right := json.Unmarshal(text, typed, json.RejectUnknownMembers(true)) == nil && complete(text, op.Request, extended)
		if right != (len(found) == 0) {
			t.Fatalf("%s is right: %v, yet found %v in %q", op.Name, right, validatetest.Brief(found), text)
		}
		if right && !reflect.DeepEqual(typed, req.Body) {
			t.Fatalf("%s reads as\n%+v\nwant\n%+v", op.Name, req.Body, typed)
		}
		for _, finding := range found {
			if jsontext.Pointer(finding.Pointer).IsValid() || len(finding.Pointer) > 200 {
				continue
			}
			t.Fatalf("%s has the pointer %q", finding.Code, finding.Pointer)
		}
	})
}

// oddDocuments are seeds for requests and answers.
var oddDocuments = []string{
	``, ` `, `{`, `null`, `[]`, `{} {}`, "\xef\xbb\xbf{}", `{"Auth":null}`, whole, whole + "x",
	`{"\u0041uth":{"Token":"\ud800","Sign":"\ud83d\ude00","Cuit":1e3},"a/b~":[[{}]]}`,
	"{\"Auth\":{\"Token\":\"\xff\",\"token\":\"\",\"Cuit\":-0,\"Cuit\":9223372036854775808}}",
	`{"Auth":{"Token":"t","Sign":"s","Cuit":20111111112},"FeCAEReq":{"FeCabReq":{"CantReg":1,"PtoVta":1,"CbteTipo":6},` +
		`"FeDetReq":{"FECAEDetRequest":[null,{"Iva":{"AlicIva":[]},"ImpTotal":1e400,"Tributos":null,"CondicionIVAReceptorId":5}]}}}`,
}

// complete reports whether a document that fits the types also keeps the rules that the
// types cannot express: the required members are there, no item and no document is null,
// and there is no extension where there may be none.
func complete(text []byte, shape *wsfev1.Shape, extended bool) bool {
	var document any
	return json.Unmarshal(text, &document, json.WithUnmarshalers(anyNumber)) == nil && completeValue(document, shape, extended)
}

// anyNumber reads numbers that no float holds.
var anyNumber = json.UnmarshalFromFunc(func(dec *jsontext.Decoder, v *any) error {
	if dec.PeekKind() != '0' {
		return errors.ErrUnsupported
	}
	number, err := dec.ReadValue()
	*v = number.Clone()
	return err
})

func completeValue(v any, shape *wsfev1.Shape, extended bool) bool {
	switch shape.Kind {
	case wsfev1.KindObject:
		object, ok := v.(map[string]any)
		if !ok {
			return false
		}
		for _, m := range shape.Members {
			inner, sent := object[m.Name]
			switch {
			case m.Required && inner == nil, sent && m.Extension && !extended:
				return false
			case inner != nil && !completeValue(inner, m.Shape, extended):
				return false
			}
		}
	case wsfev1.KindList:
		list, ok := v.([]any)
		if !ok {
			return false
		}
		for _, item := range list {
			if item == nil || !completeValue(item, shape.Item, extended) {
				return false
			}
		}
	}
	return true
}
