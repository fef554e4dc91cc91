package audit_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
)

func TestMessagesOfAnAnswer(t *testing.T) {
	for answer, want := range map[string][]audit.Message{
		`{"Errors":{"Err":[{"Code":10016,"Msg":"número"},{"Msg":"first","Code":"shape.kind"}]}}`: {
			{Code: "10016", Msg: "número"}, {Code: "shape.kind", Msg: "first"},
		},
		`{"R":{"D":[{"Observaciones":{"Obs":[{"Code":10063,"Msg":"a"}]}},{"Observaciones":{"Obs":[{"Code":10217}]}}]},"Errors":{"Err":[{"Code":1}]}}`: {
			{Code: "10063", Msg: "a", Observed: true}, {Code: "10217", Observed: true}, {Code: "1"},
		},
		`{"Events":{"Evt":[{"Code":3,"Msg":"no remark"}]},"Errors":{"Err":[]}}`:       nil,
		`{"Code":1,"Err":{"Code":2},"Obs":[{"X":{"Code":3}},[{"Code":4}],5]}`:         nil,
		`{"Errors":{"Err":[{"Code":{"Code":5},"Msg":null},{"Code":6,"Other":[{}]}]}}`: {{Code: "6"}},
		`{"Errors":{"Err":[{"Code":7},{"Code":8,`:                                     {{Code: "7"}, {Code: "8"}},
		`{"Errors":{"Err":[{"Code":9,"Code":10}]},"Errors":{"Err":[{"Code":11}]}}`:    {{Code: "10"}, {Code: "11"}},
		`[[{"Obs":[{"Code":"` + "\xff" + `"}]}]]`:                                     {{Code: "\ufffd", Observed: true}},
		``: nil, `"Err"`: nil, `{"Err":`: nil, `{"Obs":[`: nil, `{"Errors":{"Err":null}}`: nil,
	} {
		if got := audit.Messages([]byte(answer)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n got %+v\nwant %+v", answer, got, want)
		}
	}
	deep := strings.Repeat(`{"Err":[`, 20_000) + strings.Repeat(`]}`, 20_000)
	if got := audit.Messages([]byte(deep)); got != nil {
		t.Errorf("nested deeply: %+v", got)
	}
}

// FuzzMessages: lists as the service writes them take a shorter way to the same messages.
func FuzzMessages(f *testing.F) {
	for _, list := range []string{
		`[]`, `[{"Code":10063,"Msg":"Campo  inválido"}]`, `[{"Code":1,"Msg":"a"},{"Code":0}]`, `[{"Code":01}]`, `[{"Code":-1}]`,
		`[{"Code":1.5}]`, `[{"Code":1,"Msg":"a\"b"}]`, `[{"Code":1,"Msg":"a`, `[{"Code":1,"Msg":null}]`, `[{"Code":1}`, `[{"Code":1},]`,
		`[{"Code":1,"Msg":"` + "\xff" + `"}]`, `[{"Code":1,"Msg":"` + "\t" + `"}]`, `[{"Code":1,"Msg":"a","More":1}]`, `[{"Msg":"a","Code":1}]`,
		`[{"Code":"1"}]`, `[{"Code":1,"Msg":"\"Err\":[{\"Code\":2}]"}]`, `[ {"Code":1}]`, `[{"Code":1,"Msg":"a"}] `,
	} {
		f.Add([]byte(`{"Errors":{"Err":` + list + `},"R":{"Obs":` + list + `}}`))
		f.Add([]byte(`{"Obs":` + list + `,"Err":[{"Code":7,"Msg":"m"}],"Err"Err":` + list))
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		for _, codesOnly := range []bool{false, true} {
			got, want := audit.MessagesOf(answer, codesOnly), audit.MessagesOfAnyList(answer, codesOnly)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s\n got %+v\nwant %+v", answer, got, want)
			}
		}
		for _, name := range audit.MessageLists {
			if got, want := audit.IndexName(answer, name), bytes.Index(answer, name); got != want {
				t.Errorf("%s at %d of %s, want %d", name, got, answer, want)
			}
		}
	})
}

func TestCodesOfARecordAreThereOnce(t *testing.T) {
	r := audit.Record{
		Findings: []audit.Finding{{Code: "10217"}, {Code: "10048"}, {Code: "10217"}},
		Answer:   []byte(`{"Errors":{"Err":[{"Code":10016},{"Code":10048},{"Msg":"without a code"}]}}`),
	}
	if got, want := r.Codes(), []string{"10217", "10048", "10016"}; !reflect.DeepEqual(got, want) {
		t.Errorf("codes %v, want %v", got, want)
	}
	if got := (&audit.Record{}).Codes(); got != nil {
		t.Errorf("codes of nothing: %v", got)
	}
}

func BenchmarkMessages(b *testing.B) {
	for name, answer := range map[string]string{
		"none": `{"FeCabResp":{"Cuit":20000000001,"PtoVta":1,"CbteTipo":6,"Resultado":"A"},"FeDetResp":{"FECAEDetResponse":[{"CAE":"86011234567890"}]}}`,
		"one":  `{"FeCabResp":{"Cuit":20000000001,"PtoVta":1,"CbteTipo":6,"Resultado":"A"},"FeDetResp":{"FECAEDetResponse":[{"Observaciones":{"Obs":[{"Code":10063,"Msg":"Receptor sin impuesto activo"}]},"CAE":"86011234567890"}]}}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				audit.Messages([]byte(answer))
			}
		})
	}
}
