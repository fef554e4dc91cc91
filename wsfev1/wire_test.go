package wsfev1_test

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/wsfev1"
)

// filled sets every field of a value: one item in each list, a value in each
// pointer.
func filled(v reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[wsfev1.Amount]():
		v.Set(reflect.ValueOf(wsfev1.MustAmount("12.50")))
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		filled(v.Elem())
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		filled(v.Index(0))
	case v.Kind() == reflect.Struct:
		for _, field := range v.Fields() {
			filled(field)
		}
	case v.Kind() == reflect.String:
		v.SetString("texto")
	default:
		v.SetInt(7)
	}
}

// namesIn lists the dotted paths of the members of a JSON document in its order;
// positions in arrays are left out.
func namesIn(t *testing.T, document []byte) []string {
	t.Helper()
	var names []string
	dec := jsontext.NewDecoder(bytes.NewReader(document))
	for {
		token, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			t.Fatalf("%v in %s", err, document)
		}
		kind, n := dec.StackIndex(dec.StackDepth())
		if kind != '{' || token.Kind() != '"' || n%2 == 0 {
			continue // not the name of a member
		}
		var path []string
		for step := range strings.SplitSeq(strings.TrimPrefix(string(dec.StackPointer()), "/"), "/") {
			if step != "0" {
				path = append(path, step)
			}
		}
		names = append(names, strings.Join(path, "."))
	}
}

func every(*wsfev1.Member) bool { return true }

func TestAFilledAnswerHasExactlyTheMembersOfItsShapeInItsOrder(t *testing.T) {
	for _, op := range wsfev1.Operations {
		answer := op.NewAnswer()
		filled(reflect.ValueOf(answer).Elem())
		assertNames(t, op.Name, answer, members(op.Answer, every))
	}
}

func TestAFilledRequestHasExactlyTheMembersOfItsShapeInItsOrder(t *testing.T) {
	for _, op := range wsfev1.Operations {
		request := op.NewRequest()
		filled(reflect.ValueOf(request).Elem())
		assertNames(t, op.Name, request, members(op.Request, every))
	}
}

func assertNames(t *testing.T, name string, value any, want []string) {
	t.Helper()
	document, err := json.Marshal(value)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if got := namesIn(t, document); !reflect.DeepEqual(got, want) {
		t.Errorf("%s\n got %v\nwant %v", name, got, want)
	}
}

func TestRequestsAndAnswersComeBackAsTheyWere(t *testing.T) {
	for _, op := range wsfev1.Operations {
		for _, pair := range [][2]any{{op.NewRequest(), op.NewRequest()}, {op.NewAnswer(), op.NewAnswer()}} {
			before, after := pair[0], pair[1]
			filled(reflect.ValueOf(before).Elem())
			document, err := json.Marshal(before)
			if err != nil {
				t.Fatalf("%s: %v", op.Name, err)
			}
			if err := json.Unmarshal(document, after, json.RejectUnknownMembers(true)); err != nil {
				t.Fatalf("%s: %v", op.Name, err)
			}
			if !reflect.DeepEqual(before, after) {
				t.Errorf("%s came back as\n%+v\nwas\n%+v", op.Name, after, before)
			}
		}
	}
}

func TestEmptyWrappersAreAbsentFromAnAnswer(t *testing.T) {
	for _, op := range wsfev1.Operations {
		document, err := json.Marshal(op.NewAnswer())
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range namesIn(t, document) {
			switch name {
			case "Errors", "Events", "ResultGet", "FeCabResp", "FeDetResp":
				t.Errorf("%s: %s is there with nothing in it: %s", op.Name, name, document)
			}
		}
	}
}

func TestARejectedInvoiceIsWrittenAsTheServiceWritesIt(t *testing.T) {
	answer := wsfev1.FECAESolicitarAnswer{
		FeDetResp: &wsfev1.FeCAEDetResp{FECAEDetResponse: []wsfev1.FECAEDetResponse{
			{DetResponse: wsfev1.DetResponse{
				Concepto: 1, DocTipo: 80, DocNro: 20111111112, CbteDesde: 1, CbteHasta: 1,
				CbteFch: "20261120", Resultado: wsfev1.Rechazado,
			}},
		}},
	}
	got, err := json.Marshal(&answer)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"FeDetResp":{"FECAEDetResponse":[{"Concepto":1,"DocTipo":80,"DocNro":20111111112,` +
		`"CbteDesde":1,"CbteHasta":1,"CbteFch":"20261120","Resultado":"R","CAE":"","CAEFchVto":""}]}}`
	if string(got) != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestTheCodeOfAnErrorBodyIsAString(t *testing.T) {
	got, err := json.Marshal(wsfev1.ErrorBody{Errors: wsfev1.ErrorList{Err: []wsfev1.ErrorItem{{Code: "600", Msg: "no"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"Errors":{"Err":[{"Code":"600","Msg":"no"}]}}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
