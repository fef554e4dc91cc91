package canonical_test

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/internal/once/canonical"
	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/wsfev1"
)

// asJSON writes a request differently: as JSON, with the shortest form of each amount.
func asJSON(t *testing.T, body any) []byte {
	t.Helper()
	text, err := json.Marshal(wsfev1.WithAuth(body, wsfev1.Auth{}), json.WithMarshalers(
		json.MarshalToFunc(func(enc *jsontext.Encoder, a wsfev1.Amount) error { return a.Trim().MarshalJSONTo(enc) })))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestCanonicalTellsRequestsApartAsTheirJSONDoes: a request and one that differs in few
// places, or in none but the way in which amounts are written.
func TestCanonicalTellsRequestsApartAsTheirJSONDoes(t *testing.T) {
	random := rand.New(rand.NewPCG(20261121, 1))
	same := 0
	rounds := testrun.Size(t, 3000, 10_000)
	for range rounds {
		for _, op := range wsfev1.Operations {
			if op.Effect != wsfev1.EffectChanges {
				continue
			}
			a, b := op.NewRequest(), op.NewRequest()
			seed := random.Uint64()
			vary(rand.New(rand.NewPCG(seed, 0)), reflect.ValueOf(a).Elem(), nil)
			vary(rand.New(rand.NewPCG(seed, 0)), reflect.ValueOf(b).Elem(), random)
			if form, want := canonical.Append(nil, b), byReflection(b); !bytes.Equal(form, want) {
				t.Fatalf("the canonical form is\n%s\nwhere trails have\n%s", form, want)
			}
			equal := bytes.Equal(canonical.Append(nil, a), canonical.Append(nil, b))
			if want := bytes.Equal(asJSON(t, a), asJSON(t, b)); equal != want {
				t.Fatalf("equal: %v, as JSON: %v\n%s\n%s", equal, want, asJSON(t, a), asJSON(t, b))
			}
			if equal {
				same++
			}
		}
	}
	if same == 0 || same == 4*rounds {
		t.Errorf("%d of %d pairs are the same: nothing was put to the proof", same, 4*rounds)
	}
}

var (
	someTexts   = []string{"", "1", "2", `1"2`, "{}", "PES", "FchServDesde:3\"PES,"}
	someAmounts = []string{"0", "0.00", "1", "1.0", "1e0", "121", "121.00", "-1", "12345678901234567890.5"}
)

// vary fills a value at random. With a second source it deviates now and then from the
// first.
func vary(random *rand.Rand, v reflect.Value, other *rand.Rand) {
	pick := func(n int) int {
		chosen := random.IntN(n)
		if other != nil && other.IntN(100) == 0 {
			chosen = other.IntN(n)
		}
		return chosen
	}
	switch {
	case v.Type() == reflect.TypeFor[wsfev1.Amount]():
		if chosen := pick(len(someAmounts) + 1); chosen > 0 {
			v.Set(reflect.ValueOf(wsfev1.MustAmount(someAmounts[chosen-1])))
		}
	case v.Kind() == reflect.Pointer:
		if pick(2) == 1 {
			v.Set(reflect.New(v.Type().Elem()))
			vary(random, v.Elem(), other)
		}
	case v.Kind() == reflect.Struct:
		for _, field := range v.Fields() {
			vary(random, field, other)
		}
	case v.Kind() == reflect.Slice:
		if n := pick(4); n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n-1, n))
		}
		for i := range v.Len() {
			vary(random, v.Index(i), other)
		}
	case v.Kind() == reflect.String:
		v.SetString(someTexts[pick(len(someTexts))])
	default:
		v.SetInt(int64(pick(3)))
	}
}

// BenchmarkAppend measures the form of one invoice, which each request needs.
func BenchmarkAppend(b *testing.B) {
	body := &wsfev1.FECAESolicitarRequest{FeCAEReq: wsfev1.FeCAEReq{
		FeCabReq: wsfev1.FeCabReq{CantReg: 1, PtoVta: 1, CbteTipo: 6},
		FeDetReq: wsfev1.FeCAEDetReq{FECAEDetRequest: []wsfev1.FECAEDetRequest{{
			Concepto: 1, DocTipo: 99, CbteDesde: 1, CbteHasta: 1, CbteFch: "20261120", MonId: "PES",
			ImpTotal: wsfev1.MustAmount("121.00"), ImpNeto: wsfev1.MustAmount("121.00"),
		}}},
	}}
	var room []byte
	b.ReportAllocs()
	for b.Loop() {
		room = canonical.Append(room[:0], body)
	}
}
