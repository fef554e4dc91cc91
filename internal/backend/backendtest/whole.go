package backendtest

import (
	"context"
	"errors"
	"iter"
	"reflect"
	"testing"

	"github.com/fielato/fielato/internal/backend"
)

// collect goes through all; what was yielded before must not change afterwards.
func collect[T any](t *testing.T, all iter.Seq2[*T, error]) []T {
	t.Helper()
	var found []*T
	for one, err := range all {
		if err != nil {
			t.Fatalf("going through: %v", err)
		}
		found = append(found, one)
	}
	values := make([]T, len(found))
	for i, one := range found {
		values[i] = *one
	}
	return values
}

func want[T any](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) && len(got)+len(want) > 0 {
		t.Errorf("%s\n got %+v\nwant %+v", what, got, want)
	}
}

// fill puts something of everything into a ledger, not in the order of the lists.
func fill(t *testing.T, ledger backend.Ledger) (series []backend.Series, caeas []backend.CAEA, declared []backend.SinMovimiento) {
	t.Helper()
	series = []backend.Series{
		{Cuit: anySeries.Cuit, PtoVta: 1, CbteTipo: 6},
		{Cuit: anySeries.Cuit, PtoVta: 1, CbteTipo: 11},
		{Cuit: anySeries.Cuit, PtoVta: 2, CbteTipo: 6},
		{Cuit: anySeries.Cuit, PtoVta: 10, CbteTipo: 1},
		{Cuit: 30500010912, PtoVta: 1, CbteTipo: 1},
	}
	for i := range series {
		appendTo(t, ledger, series[len(series)-1-i], invoice(1, 1, "20261101"), invoice(2, 40, "20261101"))
	}
	appendTo(t, ledger, series[0], invoice(41, 41, "20261103"))
	appendTo(t, ledger, backend.Series{Cuit: anySeries.Cuit, PtoVta: 3, CbteTipo: 6}) // nothing: that makes no series
	caeas = []backend.CAEA{
		advance("46450000000010", 30500010912, 1), advance("46450000000022", anySeries.Cuit, 2), advance("46450000000034", anySeries.Cuit, 1),
	}
	declared = []backend.SinMovimiento{
		{CAEA: caeas[0].Code, PtoVta: 4, FchProceso: "20261106"},
		{CAEA: caeas[0].Code, PtoVta: 10, FchProceso: "20261106"},
		{CAEA: caeas[2].Code, PtoVta: 3, FchProceso: "20261107"},
	}
	update(t, ledger, func(ctx context.Context, tx backend.Tx) (err error) {
		for i := range caeas {
			err = errors.Join(err, tx.AddCAEA(ctx, caeas[len(caeas)-1-i]))
		}
		for i := range declared {
			err = errors.Join(err, tx.AddSinMovimiento(ctx, declared[len(declared)-1-i]))
		}
		return err
	})
	return series, caeas, declared
}

func everythingIsGoneThrough(t *testing.T, open Open) {
	ledger := opened(t, open)
	series, caeas, declared := fill(t, ledger)
	view(t, ledger, func(ctx context.Context, r backend.Reader) error {
		all, err := r.AllSeries(ctx)
		want(t, "series", all, series)
		for i, s := range series {
			invoices := []backend.Invoice{invoice(1, 1, "20261101"), invoice(2, 40, "20261101")}
			if i == 0 {
				invoices = append(invoices, invoice(41, 41, "20261103"))
			}
			got := collect(t, r.AllInvoices(ctx, s))
			for i := range got {
				if len(got[i].Observaciones) == 0 {
					got[i].Observaciones = nil
				}
			}
			want(t, "invoices", got, invoices)
		}
		want(t, "invoices of a new series", collect(t, r.AllInvoices(ctx, backend.Series{Cuit: 1, PtoVta: 1, CbteTipo: 1})), nil)
		want(t, "advance codes", collect(t, r.AllCAEAs(ctx)), caeas)
		want(t, "declarations", collect(t, r.AllSinMovimiento(ctx)), declared)
		return err
	})
}

func goingThroughCanStop(t *testing.T, open Open) {
	ledger := opened(t, open)
	series, _, _ := fill(t, ledger)
	view(t, ledger, func(ctx context.Context, r backend.Reader) error {
		for v, err := range r.AllInvoices(ctx, series[0]) {
			if err != nil || v.CbteDesde != 1 {
				t.Errorf("%+v, %v", v, err)
			}
			break
		}
		ctx, cancel := context.WithCancel(ctx)
		seen := 0
		for _, err := range r.AllInvoices(ctx, series[0]) {
			if seen++; seen == 1 {
				cancel()
				continue
			}
			wantError(t, err, context.Canceled, "the second invoice")
		}
		cancel()
		if seen != 2 {
			t.Errorf("%d invoices after the context had ended", seen-1)
		}
		return nil
	})
}

func resetLeavesSerialsAlone(t *testing.T, open Open) {
	place := t.TempDir()
	ledger := open(t, place)
	series, caeas, declared := fill(t, ledger)
	var given []int64
	update(t, ledger, func(ctx context.Context, tx backend.Tx) (err error) {
		given, err = tx.Serials(ctx, 5)
		return err
	})
	// One that fails leaves everything as it was.
	err := ledger.Update(t.Context(), func(tx backend.Tx) error { return errors.Join(tx.Reset(t.Context()), errAgain) })
	wantError(t, err, errAgain, "a reset that is given up")
	if got := state(t, ledger, series[0]); got.Last != 41 {
		t.Errorf("the series has %+v after a reset that was given up", got)
	}
	update(t, ledger, func(ctx context.Context, tx backend.Tx) error {
		if err := tx.Reset(ctx); err != nil {
			return err
		}
		all, err := tx.AllSeries(ctx)
		want(t, "series within the update", all, nil)
		return err
	})
	closed(t, ledger)
	ledger = open(t, place)
	defer closed(t, ledger)
	checkEmpty(t, ledger, caeas[0], series)
	update(t, ledger, func(ctx context.Context, tx backend.Tx) error {
		next, err := tx.Serials(ctx, 1)
		if err == nil && next[0] <= given[len(given)-1] {
			t.Errorf("serial %d after %v were given", next[0], given)
		}
		return errors.Join(err, tx.AddCAEA(ctx, caeas[0]), tx.AddSinMovimiento(ctx, declared[0]))
	})
	appendTo(t, ledger, series[0], invoice(1, 1, "20260101"))
}

// checkEmpty looks for what fill left, and for what was derived from it.
func checkEmpty(t *testing.T, ledger backend.Ledger, caea backend.CAEA, series []backend.Series) {
	t.Helper()
	view(t, ledger, func(ctx context.Context, r backend.Reader) error {
		all, err := r.AllSeries(ctx)
		want(t, "series", all, nil)
		want(t, "advance codes", collect(t, r.AllCAEAs(ctx)), nil)
		want(t, "declarations", collect(t, r.AllSinMovimiento(ctx)), nil)
		for _, s := range series {
			want(t, "invoices", collect(t, r.AllInvoices(ctx, s)), nil)
		}
		_, notThere := r.CAEA(ctx, caea.Code)
		wantError(t, notThere, backend.ErrNotFound, "advance code by its digits")
		_, notThere = r.CAEAOf(ctx, caea.Cuit, caea.Periodo, caea.Orden)
		wantError(t, notThere, backend.ErrNotFound, "advance code by its fortnight")
		return err
	})
}

func resetForgetsWhatWasDerived(t *testing.T, open Open) {
	ledger := opened(t, open)
	const code = "46450000000010"
	referring := invoice(1, 1, "20261106")
	referring.Code, referring.EmisionTipo = code, backend.EmisionCAEA
	referring.Detail = []byte(`{"CbtesAsoc":{"CbteAsoc":[{"Tipo":6,"PtoVta":1,"Nro":7}]}}`)
	appendTo(t, ledger, anySeries, referring)
	asked := backend.IssuedVoucher{Cuit: anySeries.Cuit, Voucher: backend.Voucher{CbteTipo: 6, PtoVta: 1, Nro: 7}}
	look := func(ctx context.Context, r backend.Reader) (used bool, referrers []backend.Referrer, err error) {
		used, err = r.CAEAUsed(ctx, code, anySeries.PtoVta)
		if err == nil {
			referrers, err = r.Referring(ctx, asked)
		}
		return used, referrers, err
	}
	update(t, ledger, func(ctx context.Context, tx backend.Tx) error {
		used, referrers, err := look(ctx, tx)
		if err != nil {
			return err
		}
		if !used || len(referrers) != 1 {
			t.Errorf("before the reset: %v, %v", used, referrers)
		}
		return tx.Reset(ctx)
	})
	// The store may reuse the identifier of the removed series for the next one.
	appendTo(t, ledger, anySeries, invoice(1, 1, "20261106"))
	view(t, ledger, func(ctx context.Context, r backend.Reader) error {
		if used, referrers, err := look(ctx, r); err != nil || used || len(referrers) != 0 {
			t.Errorf("after the reset: %v, %v, %v", used, referrers, err)
		}
		return nil
	})
}

func serialsAreSkipped(t *testing.T, open Open) {
	place := t.TempDir()
	ledger := open(t, place)
	skip := func(last int64) {
		update(t, ledger, func(ctx context.Context, tx backend.Tx) error { return tx.SkipSerials(ctx, last) })
	}
	skip(1000)
	skip(10) // takes nothing back
	closed(t, ledger)
	ledger = open(t, place)
	defer closed(t, ledger)
	update(t, ledger, func(ctx context.Context, tx backend.Tx) error {
		got, err := tx.Serials(ctx, 1)
		if err == nil && got[0] <= 1000 {
			t.Errorf("serial %d after 1000 were skipped", got[0])
		}
		if err := tx.SkipSerials(ctx, 5000); err != nil {
			return err
		}
		after, afterErr := tx.Serials(ctx, 2)
		if afterErr == nil && after[0] <= 5000 {
			t.Errorf("serials %v in the update that skipped 5000", after)
		}
		return errors.Join(err, afterErr)
	})
}
