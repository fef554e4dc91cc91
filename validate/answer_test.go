package validate_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

func TestAnAnswerOfRightShapeIsReadWithoutFindings(t *testing.T) {
	for _, op := range wsfev1.Operations {
		for _, full := range []bool{false, true} {
			answer := op.NewAnswer()
			found := validate.DecodeAnswer(op.Answer, []byte(sample(op.Answer, full).text()), answer)
			if len(found) > 0 {
				t.Errorf("%s full %v: %v", op.Name, full, validatetest.Brief(found))
			}
			if full && reflect.ValueOf(answer).Elem().IsZero() {
				t.Errorf("%s: nothing was read", op.Name)
			}
		}
	}
}

func TestADeviationOfAnAnswerIsRemarkedAndRejectsNothing(t *testing.T) {
	op := validatetest.Operation(t, "FECompUltimoAutorizado")
	answer := new(wsfev1.FECompUltimoAutorizadoAnswer)
	found := validate.DecodeAnswer(op.Answer, []byte(`{"PtoVta":3,"CbteTipo":"6","cbteNro":4,"New":[1],"PtoVta":3}`), answer)
	want := "answer.kind /CbteTipo, answer.case /cbteNro, answer.unknown /New, answer.duplicate /PtoVta"
	if got := strings.Join(validatetest.Brief(found), ", "); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if validate.Refuses(found) {
		t.Error("a finding about an answer rejects the request")
	}
	if answer.PtoVta != 3 {
		t.Errorf("what was right was not read: %+v", answer)
	}
}

func TestAnAnswerThatIsNoJSON(t *testing.T) {
	op := validatetest.Operation(t, "FEDummy")
	for text, code := range map[string]string{
		"": "answer.syntax", "<html>": "answer.syntax", "null": "answer.kind", "{}x": "answer.trailing",
		"\xef\xbb\xbf{}": "answer.bom",
	} {
		found := validate.DecodeAnswer(op.Answer, []byte(text), op.NewAnswer())
		if len(found) != 1 || found[0].Code != code || found[0].Severity != validate.OBS {
			t.Errorf("%q: %+v", text, found)
		}
	}
}
