package rows_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/backend/rows"
	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/wsfev1"
)

func TestMain(m *testing.M) { testrun.Main(m, nil) }

// anyInvoices are invoices that follow each other.
func anyInvoices(random *rand.Rand, first int64, n int) []backend.Invoice {
	invoices := make([]backend.Invoice, n)
	for i := range invoices {
		pick := func(texts ...string) string { return texts[random.IntN(len(texts))] }
		v := &invoices[i]
		v.CbteDesde, v.CbteHasta = first, first
		if random.IntN(8) == 0 {
			v.CbteHasta += random.Int64N(100_000)
		}
		first = v.CbteHasta + 1
		v.CbteFch = wsfev1.Date(pick("20261106", "20261107", ""))
		v.Code = pick("96450000000012", "46450000000010", fmt.Sprintf("9645%010d", i))
		v.EmisionTipo = pick(backend.EmisionCAE, backend.EmisionCAEA)
		v.FchVto = wsfev1.Date(pick("20261116", "20261117"))
		v.FchProceso = wsfev1.Timestamp(pick("20261106103015", "20261106103016"))
		v.Detail = fmt.Appendf([]byte{}, `{"CbteDesde":%d,"ImpTotal":%d.%02d}`, v.CbteDesde, random.IntN(1_000_000), random.IntN(100))
		switch random.IntN(10) {
		case 0:
			v.Observaciones = []byte(`{"Obs":[{"Code":10217,"Msg":"ñandú"}]}`)
		case 1:
			v.Detail = []byte{}
		case 2:
			v.Detail = bytes.Repeat([]byte{0, 255}, random.IntN(3000))
		}
	}
	return invoices
}

// stored returns the rows as a database would give them back.
func stored(invoices []backend.Invoice) (all []rows.Row) {
	for r := range rows.Of(invoices) {
		all = append(all, *r)
	}
	return all
}

func pointers(all []rows.Row) iter.Seq2[*rows.Row, error] {
	return func(yield func(*rows.Row, error) bool) {
		for i := range all {
			if !yield(&all[i], nil) {
				return
			}
		}
	}
}

func TestRowsGiveBackWhatTheyWereGiven(t *testing.T) {
	random := rand.New(rand.NewPCG(35, 5))
	for range testrun.Size(t, 200, 20_000) {
		first := 1 + random.Int64N(backend.MaxNumber/2)
		invoices := anyInvoices(random, first, 1+random.IntN(300))
		all := stored(invoices)
		var got []backend.Invoice
		for v, err := range rows.Each(t.Context(), pointers(all)) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, *v)
		}
		if !reflect.DeepEqual(got, invoices) {
			t.Fatalf("got\n%+v\nwant\n%+v", got, invoices)
		}
		for range 5 {
			v := invoices[random.IntN(len(invoices))]
			number := v.CbteDesde + random.Int64N(v.CbteHasta-v.CbteDesde+1)
			i := slices.IndexFunc(all, func(r rows.Row) bool { return r.CbteHasta >= number })
			found, err := all[i].Find(number)
			if err != nil || !reflect.DeepEqual(*found, v) {
				t.Fatalf("number %d is %+v, %v, want %+v", number, found, err, v)
			}
		}
	}
}

func TestALotIsOneRow(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 250, 256, 257, 600} {
		all := stored(anyInvoices(random, 1, n))
		if want := (n + 255) / 256; len(all) != want {
			t.Errorf("%d invoices are %d rows, want %d", n, len(all), want)
		}
		if single := all[0].Lot == nil; single != (n == 1) {
			t.Errorf("of %d invoices the first row is single: %v", n, single)
		}
	}
}

// TestLargeInvoicesShareNoRow: whoever reads one invoice reads the whole row.
func TestLargeInvoicesShareNoRow(t *testing.T) {
	invoices := anyInvoices(rand.New(rand.NewPCG(1, 2)), 1, 4)
	for i, size := range []int{3 << 20, 600_000, 400_000, 100_000} {
		invoices[i].Detail = bytes.Repeat([]byte{'x'}, size)
	}
	all := stored(invoices)
	if len(all) != 3 || all[0].Lot != nil || all[1].Lot == nil || all[2].Lot != nil {
		t.Errorf("%d rows", len(all))
	}
}

// TestAnInvoiceBelongsToItsReader, who may change it: that must not reach the following ones.
func TestAnInvoiceBelongsToItsReader(t *testing.T) {
	invoices := anyInvoices(rand.New(rand.NewPCG(5, 5)), 1, 50)
	all := stored(invoices)
	i := 0
	for v, err := range all[0].All() {
		if err != nil || !reflect.DeepEqual(*v, invoices[i]) {
			t.Fatalf("invoice %d is %+v, %v, want %+v", i, v, err, invoices[i])
		}
		_ = append(append(v.Detail, "more"...), v.Observaciones...)
		*v = backend.Invoice{CbteHasta: 1, CbteFch: "19000101"}
		i++
	}
}

func TestADamagedLotIsAnError(t *testing.T) {
	whole := stored(anyInvoices(rand.New(rand.NewPCG(3, 5)), 7, 20))[0]
	count := func(r rows.Row) (n int, err error) {
		for _, err := range r.All() {
			if err != nil {
				return n, err
			}
			n++
		}
		return n, nil
	}
	for name, damage := range map[string]func(*rows.Row){
		"nothing":            func(r *rows.Row) { r.Lot = []byte{} },
		"cut":                func(r *rows.Row) { r.Lot = r.Lot[:len(r.Lot)-1] },
		"longer":             func(r *rows.Row) { r.Lot = append(bytes.Clone(r.Lot), 0) },
		"a later form":       func(r *rows.Row) { r.Lot = append([]byte{2}, r.Lot[1:]...) },
		"another last":       func(r *rows.Row) { r.CbteHasta++ },
		"another first":      func(r *rows.Row) { r.CbteDesde++ },
		"a length of 4 GiB":  func(r *rows.Row) { r.Lot = []byte{1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0} },
		"a number too large": func(r *rows.Row) { r.Lot = []byte{1, 2, 1 << 2, 0xff, 0xff} },
	} {
		r := whole
		damage(&r)
		if n, err := count(r); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("the lot of %d to %d", r.CbteDesde, r.CbteHasta)) {
			t.Errorf("%s: %d invoices, %v", name, n, err)
		}
	}
	if _, err := whole.Find(6); err == nil {
		t.Error("a number that is not in the row was found")
	}
}

func FuzzUnpack(f *testing.F) {
	random := rand.New(rand.NewPCG(3, 5))
	for _, n := range []int{2, 30} {
		f.Add(stored(anyInvoices(random, 1, n))[0].Lot)
	}
	f.Fuzz(func(t *testing.T, lot []byte) {
		if lot == nil {
			return
		}
		r := rows.Row{Invoice: backend.Invoice{CbteDesde: 1, CbteHasta: 40}, Lot: lot}
		next := int64(1)
		for v, err := range r.All() {
			if err != nil {
				return
			}
			if v.CbteDesde != next || v.CbteHasta < next {
				t.Fatalf("%d to %d follows %d", v.CbteDesde, v.CbteHasta, next-1)
			}
			next = v.CbteHasta + 1
		}
	})
}

func TestGoingThroughEndsWithItsContext(t *testing.T) {
	all := stored(anyInvoices(rand.New(rand.NewPCG(3, 5)), 1, 20))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := 0
	for _, err := range rows.Each(ctx, pointers(all)) {
		if seen++; seen == 3 {
			cancel()
		}
		if seen == 4 && !errors.Is(err, context.Canceled) {
			t.Errorf("the fourth invoice: %v", err)
		}
	}
	if seen != 4 {
		t.Errorf("%d invoices", seen)
	}
}
