package audit_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
)

// TestReceiversOfAnExchange: of its request and its answer, of every invoice and every buyer.
func TestReceiversOfAnExchange(t *testing.T) {
	for body, want := range map[string][]int64{
		`{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":[{"DocTipo":80,"DocNro":30500010912},{"DocTipo":96,"DocNro":12345678},{"DocNro":30500010912}]}}}`: {12345678, 30500010912},
		`{"FeCAERegInfReq":{"FeDetReq":{"FECAEADetRequest":[{"DocNro" :` + "\n\t" + `7 }]}}}`:                                                         {7},
		`{"Compradores":{"Comprador":[{"DocTipo":80,"DocNro":20111111112,"Porcentaje":50},{"DocNro":27000000006}]}}`:                                  {20111111112, 27000000006},
		`{"DocNro":"20111111112"}`:                {20111111112},
		`{"DocNro":0}`:                            nil, // nobody is named
		`{"DocNro":-5}`:                           nil,
		`{"DocNro":1.5}`:                          nil,
		`{"DocNro":1e3}`:                          nil,
		`{"DocNro":""}`:                           nil,
		`{"DocNro":"12a"}`:                        nil,
		`{"DocNro":null}`:                         nil,
		`{"DocNro":[5]}`:                          nil,
		`{"DocNro":"hidden:hmac-sha256:aa"}`:      nil,
		`{"Valor":"DocNro","DocNroX":5}`:          nil,
		`{"Valor":"\"DocNro\":5"}`:                nil,
		`{"DocNro":9223372036854775807}`:          {9223372036854775807},
		`{"DocNro":9223372036854775808}`:          nil,
		`{"DocNro":99999999999999999999999}`:      nil,
		`{"DocNro":5`:                             nil,
		`{"DocNro":`:                              nil,
		`{"DocNro"`:                               nil,
		``:                                        nil,
		`{"ResultGet":{"DocTipo":96,"DocNro":8}}`: {8},
	} {
		for _, r := range []*audit.Record{{Request: []byte(body)}, {Answer: []byte(body)}, {Request: []byte(body), Answer: []byte(body)}} {
			if got := r.Receivers(); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", body, got, want)
			}
		}
	}
}

// documentsOf returns the numbers of all members of this name in a value, as a decoder reads it.
func documentsOf(value any) (all []int64) {
	switch value := value.(type) {
	case []any:
		for _, one := range value {
			all = append(all, documentsOf(one)...)
		}
	case map[string]any:
		for name, one := range value {
			if text, ok := one.(string); ok && name == "DocNro" {
				if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 && text[0] != '+' {
					all = append(all, n)
				}
			}
			all = append(all, documentsOf(one)...)
		}
	}
	return all
}

// FuzzReceivers compares the search for a name with a decoder, on what a decoder takes.
func FuzzReceivers(f *testing.F) {
	for _, text := range []string{`{"DocNro":"5","a":[{"DocNro":"6"}]}`, `{"a":"\"DocNro\":5"}`, `{"DocNro":5}`, `["DocNro","5"]`, `{"DocNro":"\u0035"}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got := (&audit.Record{Request: body}).Receivers()
		var value any
		err := json.Unmarshal(body, &value)
		if err != nil || !(*jsontext.Value)(&body).IsValid() {
			return // it must not panic
		}
		for _, n := range got {
			if n <= 0 {
				t.Errorf("%d is no number of a document", n)
			}
		}
		if slices.Contains(body, '\\') {
			return // a name that is written otherwise
		}
		for _, n := range documentsOf(value) {
			if !slices.Contains(got, n) {
				t.Errorf("%s: %d is missing in %v", body, n, got)
			}
		}
	})
}

// TestReceiversAsPeopleWriteThem.
func TestReceiversAsPeopleWriteThem(t *testing.T) {
	for text, want := range map[string]int64{
		"20-11111111-2": 20111111112, "20111111112": 20111111112, "12345678": 12345678, "12.345.678": 12345678, "1.234.567": 1234567, "94000001": 94000001,
		"": 0, "0": 0, "-1": 0, "20-1111111-12": 0, "12.345,678": 0, "1.2.3": 0, "1234567890123456789": 0, "Pérez": 0, "+5": 0,
	} {
		if got, err := audit.ParseReceiver(text); got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
}
