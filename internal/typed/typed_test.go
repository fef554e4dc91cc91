package typed_test

import (
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/internal/typed"
	"github.com/fielato/fielato/wsfev1"
)

// TestValuesAreThoseOfReflection writes random requests and answers of all operations by their shapes, and reads
// each member both ways.
func TestValuesAreThoseOfReflection(t *testing.T) {
	random := rand.New(rand.NewPCG(20261124, 1))
	for _, op := range wsfev1.Operations {
		for range 20 {
			for shape, message := range map[*wsfev1.Shape]any{op.Request: op.NewRequest(), op.Answer: op.NewAnswer()} {
				v, ok := typed.Of(shape, message)
				if !ok {
					t.Fatalf("%s: %T is not of its shape", op.Name, message)
				}
				fill(random, shape, v)
				compare(t, op.Name, shape, v, reflect.ValueOf(message).Elem())
				compareJSON(t, op.Name, shape, v, message)
				if v.Clear(shape); !reflect.ValueOf(message).Elem().IsZero() {
					t.Fatalf("%s: %+v is not cleared", op.Name, message)
				}
			}
		}
	}
}

var (
	texts   = []string{"", "7", "20261124", "a<b>&'c'", "\"quoted\" \\ and\ttabbed\n", "ñandú €𝄞", "\u2028\u007f\u0001", strings.Repeat("long ", 99)}
	numbers = []string{"0", "0.00", "-1", "121.00", "1e3", "12345678901234567890.5"}
)

func compareJSON(t *testing.T, at string, shape *wsfev1.Shape, v typed.Value, message any) {
	t.Helper()
	want, err := json.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	got, err := typed.AppendJSON([]byte("before"), shape, v)
	if err != nil || string(got) != "before"+string(want) {
		t.Fatalf("%s is written as\n%s, %v\nwant\n%s", at, got, err, want)
	}
}

// TestTextsThatAreNotUTF8 are an error, and nothing is written.
func TestTextsThatAreNotUTF8(t *testing.T) {
	op := wsfev1.OperationByName("FECAESolicitar")
	request := &wsfev1.FECAESolicitarRequest{Auth: wsfev1.Auth{Token: "a\xff"}}
	v, _ := typed.Of(op.Request, request)
	b, err := typed.AppendJSON([]byte("before"), op.Request, v)
	if err == nil || string(b) != "before" || strings.Contains(err.Error(), "a\xff") {
		t.Errorf("%s, %v", b, err)
	}
}

// fill writes something to each member, or leaves it out.
func fill(random *rand.Rand, shape *wsfev1.Shape, v typed.Value) {
	switch shape.Kind {
	case wsfev1.KindObject:
		for i := range shape.Members {
			m := &shape.Members[i]
			field := v.Member(m)
			if random.IntN(4) == 0 {
				continue
			}
			if m.Pointer {
				field = field.Make(m.Shape)
			}
			fill(random, m.Shape, field)
		}
	case wsfev1.KindList:
		items := v.Reflect(shape)
		n := random.IntN(4)
		items.Set(reflect.MakeSlice(shape.Type, n, n))
		for i := range n {
			fill(random, shape.Item, v.Item(shape, i))
		}
	case wsfev1.KindText:
		v.SetText(texts[random.IntN(len(texts))])
	case wsfev1.KindAmount:
		*v.Amount() = wsfev1.MustAmount(numbers[random.IntN(len(numbers))])
	case wsfev1.KindInteger:
		most := int64(1)<<(shape.Bits-1) - 1
		v.SetInteger(shape.Bits, most)
		v.SetInteger(shape.Bits, -most-1+random.Int64N(1000))
	}
}

func compare(t *testing.T, at string, shape *wsfev1.Shape, v typed.Value, want reflect.Value) {
	t.Helper()
	same := true
	switch shape.Kind {
	case wsfev1.KindObject:
		for i := range shape.Members {
			m := &shape.Members[i]
			field, wanted := v.Member(m), want.FieldByIndex(m.Index)
			if m.Pointer {
				var there bool
				if field, there = field.Behind(); there == wanted.IsNil() {
					t.Fatalf("%s/%s is there: %v", at, m.Name, there)
				} else if !there {
					continue
				}
				wanted = wanted.Elem()
			}
			compare(t, at+"/"+m.Name, m.Shape, field, wanted)
		}
	case wsfev1.KindList:
		if same = v.Len() == want.Len(); same {
			for i := range v.Len() {
				compare(t, at+"/"+strconv.Itoa(i), shape.Item, v.Item(shape, i), want.Index(i))
			}
		}
	case wsfev1.KindText:
		same = v.Text() == want.String()
	case wsfev1.KindAmount:
		same = v.Amount() == want.Addr().Interface().(*wsfev1.Amount)
	case wsfev1.KindInteger:
		same = v.Integer(shape.Bits) == want.Int()
	}
	if !same {
		t.Fatalf("%s is not %v", at, want)
	}
}

// TestIntegersThatDoNotFit are not cut.
func TestIntegersThatDoNotFit(t *testing.T) {
	var auth struct {
		Short int16
		Long  int32
	}
	shape := wsfev1.ShapeOf(reflect.TypeOf(auth))
	v, ok := typed.Of(shape, &auth)
	if !ok {
		t.Fatal("not of its own shape")
	}
	for i, bits := range []int{16, 32} {
		field := v.Member(&shape.Members[i])
		for _, n := range []int64{1 << (bits - 1), -1<<(bits-1) - 1, 1 << 40} {
			if field.SetInteger(bits, n) || field.Integer(bits) != 0 {
				t.Errorf("%d fits into %d bits, as %d", n, bits, field.Integer(bits))
			}
		}
	}
}

// TestOtherTypesAreRefused before anything is read.
func TestOtherTypesAreRefused(t *testing.T) {
	op := wsfev1.OperationByName("FECAESolicitar")
	for _, message := range []any{nil, (*wsfev1.FECAESolicitarRequest)(nil), wsfev1.FECAESolicitarRequest{}, new(wsfev1.Auth), 1, new(int)} {
		if _, ok := typed.Of(op.Request, message); ok {
			t.Errorf("%T passes for a request", message)
		}
	}
	if _, ok := typed.Of(nil, op.NewRequest()); ok {
		t.Error("a value passes for one of no shape")
	}
}

// TestOtherMessagesAreWrittenToo, by package json.
func TestOtherMessagesAreWrittenToo(t *testing.T) {
	for _, message := range []any{
		nil, (*wsfev1.FECAESolicitarAnswer)(nil), &wsfev1.FECAESolicitarAnswer{}, &wsfev1.FEDummyAnswer{AppServer: "OK"},
		wsfev1.FEDummyAnswer{AppServer: "OK"},
		&wsfev1.ErrorBody{},
		&struct {
			Record string `json:"record"`
		}{"a/1"},
		map[string]int{"a": 1},
		7, new(int),
	} {
		want, wantErr := json.Marshal(message)
		if got, err := typed.JSON(message); string(got) != string(want) || (err == nil) != (wantErr == nil) {
			t.Errorf("%T is written as %s, %v, want %s, %v", message, got, err, want, wantErr)
		}
	}
}

// BenchmarkJSON measures the answer to a lot beside package json.
func BenchmarkJSON(b *testing.B) {
	answer := &wsfev1.FECAESolicitarAnswer{FeCabResp: &wsfev1.FeCabResp{Cuit: 20111111112, PtoVta: 1, CbteTipo: 6, CantReg: 250, Resultado: "A"}, FeDetResp: &wsfev1.FeCAEDetResp{}}
	for n := range int64(250) {
		answer.FeDetResp.FECAEDetResponse = append(answer.FeDetResp.FECAEDetResponse, wsfev1.FECAEDetResponse{
			DetResponse: wsfev1.DetResponse{Concepto: 1, DocTipo: 99, CbteDesde: n, CbteHasta: n, CbteFch: "20261124", Resultado: "A"},
			CAE:         "75123456789012", CAEFchVto: "20261204",
		})
	}
	for name, write := range map[string]func(any) ([]byte, error){
		"by shape": typed.JSON, "package json": func(m any) ([]byte, error) { return json.Marshal(m) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := write(answer); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
