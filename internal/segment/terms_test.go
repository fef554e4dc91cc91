package segment

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/segment/term"
)

// extreme are numbers at the ends of the range, as a client can send them.
var extreme = rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{
	math.MinInt64, math.MinInt64 + 1, -wideRange - 1, -wideRange, -2, -1, 0, 1, wideRange, math.MaxInt64 - wideRange, math.MaxInt64 - 1, math.MaxInt64,
}))

// TestTermsOfAnyNumbers: there are few, whatever the numbers are, and each number of a short
// range is among them.
func TestTermsOfAnyNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := audit.Voucher{CbteDesde: extreme.Draw(t, "from"), CbteHasta: extreme.Draw(t, "to")}
		if rapid.Bool().Draw(t, "near") {
			v.CbteHasta = v.CbteDesde + rapid.Int64Range(-2, wideRange+1).Draw(t, "further")
		}
		r := &audit.Record{Cuit: 20111111112, PtoVta: 1, CbteTipo: 6, Vouchers: []audit.Voucher{v}}
		k, _ := keysOf(r, withReceivers, nil)
		if n := len(k.terms) / term.Bytes; n > 8+3*wideRange {
			t.Fatalf("%d terms", n)
		}
		if v.CbteHasta < v.CbteDesde {
			return
		}
		for _, number := range []int64{v.CbteDesde, v.CbteDesde + (v.CbteHasta-v.CbteDesde)/2, v.CbteHasta} {
			query := &audit.Query{Cuit: r.Cuit, PtoVta: r.PtoVta, CbteTipo: r.CbteTipo, Number: number}
			if number != 0 && !k.has(termsOfQuery(query, NewVault(nil)), nil) {
				t.Errorf("number %d of %d to %d is not found", number, v.CbteDesde, v.CbteHasta)
			}
			query = &audit.Query{PtoVta: r.PtoVta, Number: number}
			if number != 0 && !k.has(termsOfQuery(query, NewVault(nil)), nil) {
				t.Errorf("number %d of %d to %d is not found without its issuer", number, v.CbteDesde, v.CbteHasta)
			}
			query.CbteTipos = []int32{1, 6}
			if number != 0 && !k.has(termsOfQuery(query, NewVault(nil)), nil) {
				t.Errorf("number %d of %d to %d is not found by its type alone", number, v.CbteDesde, v.CbteHasta)
			}
		}
	})
}
