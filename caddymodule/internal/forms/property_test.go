package forms

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/fielato/fielato/wsfev1"
)

// sample draws a message of a shape. Texts are what both forms can hold.
type sample struct {
	t      *rapid.T
	answer bool
}

var sampleText = rapid.StringOfN(rapid.RuneFrom([]rune("aZ09 \n\t\r<>&\"']\\ñ😀\u202E\u0085\u00A0/-")), 1, 12, -1)

func (s sample) fill(shape *wsfev1.Shape, v reflect.Value) {
	switch shape.Kind {
	case wsfev1.KindObject:
		for i := range shape.Members {
			m := &shape.Members[i]
			field := v.FieldByIndex(m.Index)
			if m.Pointer {
				if !m.Required && rapid.Bool().Draw(s.t, "absent") {
					continue
				}
				field.Set(reflect.New(m.Shape.Type))
				field = field.Elem()
			}
			s.fill(m.Shape, field)
		}
	case wsfev1.KindList:
		n := rapid.IntRange(1, 3).Draw(s.t, "items")
		v.Set(reflect.MakeSlice(shape.Type, n, n))
		for i := range n {
			s.fill(shape.Item, v.Index(i))
		}
	case wsfev1.KindText:
		v.SetString(sampleText.Draw(s.t, "text"))
	case wsfev1.KindInteger:
		limit := int64(1)<<(shape.Bits-1) - 1
		v.SetInt(rapid.Int64Range(-limit-1, limit).Draw(s.t, "integer"))
	case wsfev1.KindAmount:
		amount := wsfev1.AmountOf(rapid.Int64Range(-999_999_999_999_999, 999_999_999_999_999).Draw(s.t, "units"), rapid.IntRange(0, 6).Draw(s.t, "scale"))
		if s.answer {
			amount = amount.Trim() // as answers are written
		}
		v.Set(reflect.ValueOf(amount))
	}
}

// TestEveryMessageConvertsBothWays: amounts keep their digits, and texts their characters.
func TestEveryMessageConvertsBothWays(t *testing.T) {
	for _, op := range wsfev1.Operations {
		for _, answer := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/answer=%v", op.Name, answer), func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) { convertBothWays(t, op, answer) })
			})
		}
	}
}

func convertBothWays(t *rapid.T, op *wsfev1.Operation, answer bool) {
	sent, shape := op.NewRequest(), op.Request
	if answer {
		sent, shape = op.NewAnswer(), op.Answer
	}
	sample{t, answer}.fill(shape, reflect.ValueOf(sent).Elem())
	document, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	c := Converter{Operation: op, Answer: answer, Redactor: NewRedactor(), Note: func(text string) { t.Fatal(text) }}
	message, err := c.Convert(document, rapid.SampledFrom([]string{SOAP11, SOAP12}).Draw(t, "form"))
	if err != nil {
		t.Fatalf("%v: %s", err, document)
	}
	c.Operation, c.Answer = nil, false
	back, err := c.Convert(message.Indented().Printable(), "")
	if err != nil {
		t.Fatalf("%v: %s", err, message.Text)
	}
	if printed := jsontext.Value(back.Indented().Printable()); printed.Compact() != nil || !bytes.Equal(back.Text, document) {
		t.Fatalf("%s\nwant %s\nby %s", back.Text, document, message.Text)
	} else if err := json.Unmarshal(printed, op.NewRequest()); err != nil && !answer {
		t.Fatal(err)
	}
}
