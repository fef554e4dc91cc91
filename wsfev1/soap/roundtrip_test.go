package soap_test

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/soap"
)

// generator draws values of the interface.
type generator struct {
	t *rapid.T
	// answer: amounts have no zeros at their end, and lists under a pointer have items.
	answer bool
}

var textOf = rapid.StringOfN(rapid.RuneFrom([]rune("aZ09 \n\t\r<>&\"']]>;ñÁ€😀\uFFFD/-")), 1, 12, -1)

func (g generator) fill(shape *wsfev1.Shape, v reflect.Value) {
	switch shape.Kind {
	case wsfev1.KindObject:
		for i := range shape.Members {
			m := &shape.Members[i]
			field := v.FieldByIndex(m.Index)
			if m.Pointer {
				if rapid.Bool().Draw(g.t, "nil") {
					continue
				}
				field.Set(reflect.New(m.Shape.Type))
				field = field.Elem()
			}
			g.fill(m.Shape, field)
		}
	case wsfev1.KindList:
		n := rapid.IntRange(min(1, map[bool]int{true: 1}[g.answer]), 3).Draw(g.t, "items")
		if n == 0 {
			return // an empty list has no form of its own
		}
		v.Set(reflect.MakeSlice(shape.Type, n, n))
		for i := range n {
			g.fill(shape.Item, v.Index(i))
		}
	case wsfev1.KindText:
		if rapid.Bool().Draw(g.t, "text") {
			v.SetString(textOf.Draw(g.t, "text"))
		}
	case wsfev1.KindInteger:
		limit := int64(1)<<(shape.Bits-1) - 1
		v.SetInt(rapid.Int64Range(-limit-1, limit).Draw(g.t, "integer"))
	case wsfev1.KindAmount:
		if !g.answer && rapid.Bool().Draw(g.t, "unsent") {
			return
		}
		amount := wsfev1.AmountOf(rapid.Int64Range(-999_999_999_999_999, 999_999_999_999_999).Draw(g.t, "units"), rapid.IntRange(0, 6).Draw(g.t, "scale"))
		if g.answer {
			amount = amount.Trim()
		}
		v.Set(reflect.ValueOf(amount))
	}
}

func TestEveryRequestTravelsBothWays(t *testing.T) {
	for _, op := range wsfev1.Operations {
		t.Run(op.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				sent := op.NewRequest()
				generator{t: t}.fill(op.Request, reflect.ValueOf(sent).Elem())
				version := soap.Version(rapid.IntRange(0, 1).Draw(t, "version"))
				wire, err := soap.AppendRequest(nil, version, op, sent)
				if err != nil {
					t.Fatal(err)
				}
				e, err := soap.Open(wire, "utf-8")
				if err != nil {
					t.Fatalf("%v in %s", err, wire)
				}
				if routed, err := e.Route(`"` + soap.ActionPrefix + op.Name + `"`); err != nil || routed != op || e.Version != version {
					t.Fatalf("%v, %v, version %v", routed, err, e.Version)
				}
				got := e.Decode(op)
				if len(got.Findings) > 0 || len(got.Ignored) > 0 || !reflect.DeepEqual(got.Body, sent) {
					t.Fatalf("%v, ignored %v: %s reads as\n%+v\nwant\n%+v", brief(got.Findings), got.Ignored, wire, got.Body, sent)
				}
				sameInJSON(t, op.NewRequest(), sent, got.Body)
			})
		})
	}
}

// sameInJSON compares two messages as JSON, and what JSON reads into typed with the second.
func sameInJSON(t *rapid.T, typed, sent, got any) {
	want, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(got)
	if err != nil || !bytes.Equal(text, want) {
		t.Fatalf("%v: %s, want %s", err, text, want)
	}
	if err := json.Unmarshal(text, typed); err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(typed); err != nil || !bytes.Equal(again, want) {
		t.Fatalf("%v: %s, want %s", err, again, want)
	}
}

func TestEveryAnswerTravelsBothWays(t *testing.T) {
	info := soap.InfoAt("Pruebas", time.Unix(1_795_000_000, 123_456_700), "7.0.0.1")
	for _, op := range wsfev1.Operations {
		t.Run(op.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				sent := op.NewAnswer()
				generator{t: t, answer: true}.fill(op.Answer, reflect.ValueOf(sent).Elem())
				version := soap.Version(rapid.IntRange(0, 1).Draw(t, "version"))
				wire, err := soap.AppendAnswer(nil, version, op, sent, info)
				if err != nil {
					t.Fatal(err)
				}
				got, err := soap.Parse(op, wire, "utf-8")
				if err != nil || len(got.Findings) > 0 || got.Fault != nil || got.Info != info || got.Version != version {
					t.Fatalf("%v, %v, %+v in %s", err, brief(got.Findings), got, wire)
				}
				if !reflect.DeepEqual(got.Body, sent) {
					t.Fatalf("%s reads as\n%+v\nwant\n%+v", wire, got.Body, sent)
				}
				sameInJSON(t, op.NewAnswer(), sent, got.Body)
			})
		})
	}
}
