package backendtest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/wsfev1"
)

func newSeriesIsEmpty(t *testing.T, open Open) {
	ledger := opened(t, open)
	if got := state(t, ledger, anySeries); got != (backend.SeriesState{}) {
		t.Errorf("state %+v, want none", got)
	}
	view(t, ledger, func(ctx context.Context, r backend.Reader) error {
		_, err := r.Invoice(ctx, anySeries, 1)
		wantError(t, err, backend.ErrNotFound, "invoice 1")
		return nil
	})
}

func invoicesAreFound(t *testing.T, open Open) {
	ledger := opened(t, open)
	single, lot := invoice(1, 1, "20261105"), invoice(2, 40, "20261106")
	lot.Code, lot.Observaciones = "96450000000024", []byte(`{"Obs":[{"Code":10217,"Msg":"a"}]}`)
	last := invoice(41, backend.MaxNumber, "20261106")
	appendTo(t, ledger, anySeries, single, lot)
	appendTo(t, ledger, anySeries, last)
	for number, want := range map[int64]backend.Invoice{
		1: single, 2: lot, 17: lot, 40: lot, 41: last, backend.MaxNumber: last,
	} {
		view(t, ledger, func(ctx context.Context, r backend.Reader) error {
			got, err := r.Invoice(ctx, anySeries, number)
			if err != nil {
				return err
			}
			if len(got.Observaciones) == 0 {
				got.Observaciones = nil
			}
			if !reflect.DeepEqual(*got, want) {
				t.Errorf("invoice %d is\n%+v, want\n%+v", number, *got, want)
			}
			return nil
		})
	}
	view(t, ledger, func(ctx context.Context, r backend.Reader) error {
		for _, number := range []int64{-1, 0, backend.MaxNumber + 1} {
			_, err := r.Invoice(ctx, anySeries, number)
			wantError(t, err, backend.ErrNotFound, "number out of range")
		}
		return nil
	})
}

// lotsAreFound appends lots in which some invoices differ from those around them: a ledger may write the others
// together.
func lotsAreFound(t *testing.T, open Open) {
	ledger := opened(t, open)
	var all []backend.Invoice
	number := int64(1)
	for _, size := range []int{1, 15, 16, 17, 100} {
		lot := make([]backend.Invoice, size)
		for i := range lot {
			v := invoice(number, number, "20261106")
			v.Code = fmt.Sprintf("9645%010d", number)
			v.Detail = fmt.Appendf(nil, `{"CbteDesde":%d}`, number*number)
			switch number % 40 {
			case 7:
				v.CbteHasta += 3
			case 21:
				v.Observaciones = []byte(`{"Obs":[{"Code":10217,"Msg":"a"}]}`)
			case 30:
				v.FchVto = "20261231"
			}
			lot[i] = v
			number = v.CbteHasta + 1
		}
		appendTo(t, ledger, anySeries, lot...)
		all = append(all, lot...)
	}
	view(t, ledger, func(ctx context.Context, r backend.Reader) error {
		i := 0
		for got, err := range r.AllInvoices(ctx, anySeries) {
			if err != nil {
				return err
			}
			if len(got.Observaciones) == 0 {
				got.Observaciones = nil
			}
			if i < len(all) && !reflect.DeepEqual(*got, all[i]) {
				t.Errorf("invoice %d of the series is\n%+v, want\n%+v", i, *got, all[i])
			}
			i++
		}
		if i != len(all) {
			t.Errorf("the series has %d invoices instead of %d", i, len(all))
		}
		return nil
	})
}

func seriesDoNotMix(t *testing.T, open Open) {
	ledger := opened(t, open)
	others := []backend.Series{
		{Cuit: anySeries.Cuit + 1, PtoVta: 1, CbteTipo: 6},
		{Cuit: anySeries.Cuit, PtoVta: 2, CbteTipo: 6},
		{Cuit: anySeries.Cuit, PtoVta: 1, CbteTipo: 8},
	}
	appendTo(t, ledger, anySeries, invoice(1, 7, "20261106"))
	for i, other := range others {
		if got := state(t, ledger, other); got.Last != 0 {
			t.Errorf("series %v has %+v from another one", other, got)
		}
		appendTo(t, ledger, other, invoice(1, int64(i)+1, "20261101"))
	}
	for i, other := range others {
		if got := state(t, ledger, other); got.Last != int64(i)+1 || got.LastFch != "20261101" {
			t.Errorf("series %v has %+v", other, got)
		}
		view(t, ledger, func(ctx context.Context, r backend.Reader) error {
			_, err := r.Invoice(ctx, other, 7)
			wantError(t, err, backend.ErrNotFound, "invoice of another series")
			return nil
		})
	}
}

func appendRefuses(t *testing.T, open Open) {
	ledger := opened(t, open)
	appendTo(t, ledger, anySeries, invoice(1, 3, "20261106"))
	for name, refused := range map[string][]backend.Invoice{
		"repetition":           {invoice(3, 3, "20261106")},
		"gap":                  {invoice(5, 5, "20261106")},
		"gap within":           {invoice(4, 4, "20261106"), invoice(6, 6, "20261106")},
		"ends before it begin": {invoice(4, 3, "20261106")},
		"older date":           {invoice(4, 4, "20261105")},
		"number too large":     {invoice(4, backend.MaxNumber+1, "20261106")},
	} {
		err := ledger.Update(t.Context(), func(tx backend.Tx) error { return tx.Append(t.Context(), anySeries, refused) })
		wantError(t, err, backend.ErrSequence, name)
	}
	if got, want := state(t, ledger, anySeries), (backend.SeriesState{Last: 3, LastFch: "20261106"}); got != want {
		t.Errorf("state %+v after refusals, want %+v", got, want)
	}
}

func failedUpdateLeavesNothing(t *testing.T, open Open) {
	ledger := opened(t, open)
	refusal := errors.New("refused")
	err := ledger.Update(t.Context(), func(tx backend.Tx) error {
		if err := tx.Append(t.Context(), anySeries, []backend.Invoice{invoice(1, 1, "20261106")}); err != nil {
			return err
		}
		if err := tx.AddCAEA(t.Context(), advance("46450000000010", anySeries.Cuit, 1)); err != nil {
			return err
		}
		return refusal
	})
	wantError(t, err, refusal, "Update")
	if got := state(t, ledger, anySeries); got.Last != 0 {
		t.Errorf("the series has %+v from a failed update", got)
	}
	view(t, ledger, func(ctx context.Context, r backend.Reader) error {
		_, err := r.CAEA(ctx, "46450000000010")
		wantError(t, err, backend.ErrNotFound, "advance code of a failed update")
		return nil
	})
	appendTo(t, ledger, anySeries, invoice(1, 1, "20261106"))
}

func panickingUpdateFailsAlone(t *testing.T, open Open) {
	ledger := opened(t, open)
	err := ledger.Update(t.Context(), func(tx backend.Tx) error {
		if err := tx.Append(t.Context(), anySeries, []backend.Invoice{invoice(1, 1, "20261106")}); err != nil {
			return err
		}
		panic("a bug in one request")
	})
	if err == nil {
		t.Error("a panicking update returned no error")
	}
	appendTo(t, ledger, anySeries, invoice(1, 1, "20261106"))
}

func updateSeesItself(t *testing.T, open Open) {
	ledger := opened(t, open)
	update(t, ledger, func(ctx context.Context, tx backend.Tx) error {
		if err := tx.Append(ctx, anySeries, []backend.Invoice{invoice(1, 5, "20261106")}); err != nil {
			return err
		}
		got, err := tx.Series(ctx, anySeries)
		if want := (backend.SeriesState{Last: 5, LastFch: wsfev1.Date("20261106")}); got != want {
			t.Errorf("state within the update %+v, want %+v", got, want)
		}
		return err
	})
}
