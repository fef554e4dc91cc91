package validate_test

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// FuzzDecodeAnswer is FuzzDecode for what a service answers, which is as hostile as what
// clients send: every operation's answer, and the error body that stands in for any of them.
func FuzzDecodeAnswer(f *testing.F) {
	for i, op := range wsfev1.Operations {
		for _, full := range []bool{false, true} {
			text := sample(op.Answer, full).text()
			f.Add(byte(i), false, []byte(text))
			f.Add(byte(i), true, []byte(text))
			for _, odd := range validatetest.OddValues {
				f.Add(byte(i), false, bytes.ReplaceAll([]byte(text), []byte("12.50"), []byte(odd)))
				f.Add(byte(i), false, bytes.ReplaceAll([]byte(text), []byte("7"), []byte(odd)))
			}
		}
	}
	for _, text := range append(oddDocuments, `{"Errors":{"Err":[{"Code":"10016","Msg":""}]}}`) {
		for i := range wsfev1.Operations {
			f.Add(byte(i), false, []byte(text))
		}
		f.Add(byte(0), true, []byte(text))
	}
	f.Fuzz(func(t *testing.T, index byte, failed bool, text []byte) {
		op := wsfev1.Operations[int(index)%len(wsfev1.Operations)]
		shape, typed, again := op.Answer, op.NewAnswer(), op.NewAnswer()
		if failed {
			shape, typed, again = wsfev1.ShapeOf(reflect.TypeFor[wsfev1.ErrorBody]()), new(wsfev1.ErrorBody), new(wsfev1.ErrorBody)
		}
		given := bytes.Clone(text)
		found := validate.DecodeAnswer(shape, text, typed)
		if !bytes.Equal(given, text) {
			t.Fatal("the body was changed")
		}
		twice := reflect.New(shape.Type).Interface()
		if alike := validate.DecodeAnswerChecked(shape, text, twice); !reflect.DeepEqual(typed, twice) || !reflect.DeepEqual(found, alike) {
			t.Fatalf("an answer to %s reads at once as\n%+v %v\nand checked as\n%+v %v\nin %q", op.Name, typed, found, twice, alike, text)
		}
		right := json.Unmarshal(text, again, json.RejectUnknownMembers(true)) == nil && complete(text, shape, true)
		if right != (len(found) == 0) {
			t.Fatalf("an answer to %s is right: %v, yet found %v in %q", op.Name, right, validatetest.Brief(found), text)
		}
		if right && !reflect.DeepEqual(typed, again) {
			t.Fatalf("an answer to %s reads as\n%+v\nwant\n%+v", op.Name, typed, again)
		}
		for _, finding := range found {
			if !jsontext.Pointer(finding.Pointer).IsValid() || finding.Severity != validate.OBS {
				t.Fatalf("%s %s has the pointer %q", finding.Severity, finding.Code, finding.Pointer)
			}
		}
		wsfev1.VerdictOf(typed)
	})
}

// TestAnyAmountMayStandInAnAnswer is what ended a process once: amounts that no member of a
// request may have.
func TestAnyAmountMayStandInAnAnswer(t *testing.T) {
	op := validatetest.Operation(t, "FECompConsultar")
	for _, member := range op.Answer.Members[0].Shape.Members {
		if member.Shape.Kind != wsfev1.KindAmount {
			continue
		}
		for _, number := range []string{"100.00000000000001", "0.001", "1e400", "-1e400", "12345.6789012", "99999999999999999999"} {
			text := `{"ResultGet":{"` + member.Name + `":` + number + `}}`
			answer := new(wsfev1.FECompConsultarAnswer)
			validate.DecodeAnswer(op.Answer, []byte(text), answer)
			got := reflect.ValueOf(answer.ResultGet).Elem().FieldByName(member.Name).Interface().(wsfev1.Amount)
			if got.String() != number {
				t.Errorf("%s reads as %s", text, got)
			}
		}
	}
}
