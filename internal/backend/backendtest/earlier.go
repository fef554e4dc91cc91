package backendtest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/fielato/fielato/internal/backend"
)

// FillEarlier writes what a ledger of an earlier build holds, for CheckEarlier to find: invoices alone and in lots, a
// range of numbers, notes, observations and an advance code. What it writes never changes, because the fixtures of
// earlier builds hold it.
func FillEarlier(t *testing.T, ledger backend.Ledger) {
	t.Helper()
	update(t, ledger, func(ctx context.Context, tx backend.Tx) error {
		if err := tx.AddCAEA(ctx, advance("46450000000010", anySeries.Cuit, 1)); err != nil {
			return err
		}
		return tx.SkipSerials(ctx, 77)
	})
	number := 0
	invoices := earlierInvoices(1, 25)
	for _, lot := range []int{1, 20, 1, 3} {
		appendTo(t, ledger, anySeries, invoices[number:number+lot]...)
		number += lot
	}
	appendTo(t, ledger, noteSeries, earlierNotes()...)
}

// CheckEarlier compares the ledger in a place with what FillEarlier wrote, as it is opened, after it was continued with
// a lot, and opened again.
func CheckEarlier(t *testing.T, open Open, place string) {
	t.Helper()
	ledger := open(t, place)
	checkEarlier(t, ledger, earlierInvoices(1, 25))
	appendTo(t, ledger, anySeries, earlierInvoices(26, 40)...)
	closed(t, ledger)
	ledger = open(t, place)
	defer closed(t, ledger)
	checkEarlier(t, ledger, earlierInvoices(1, 65))
	err := ledger.Update(t.Context(), func(tx backend.Tx) error {
		return tx.Append(t.Context(), anySeries, earlierInvoices(25, 3))
	})
	wantError(t, err, backend.ErrSequence, "numbers that an earlier build gave")
}

func checkEarlier(t *testing.T, ledger backend.Ledger, invoices []backend.Invoice) {
	t.Helper()
	view(t, ledger, func(ctx context.Context, r backend.Reader) error {
		for series, kept := range map[backend.Series][]backend.Invoice{anySeries: invoices, noteSeries: earlierNotes()} {
			want(t, "invoices", withoutEmpty(collect(t, r.AllInvoices(ctx, series))), kept)
			for i := range kept {
				found, err := r.Invoice(ctx, series, kept[i].CbteHasta)
				if err != nil {
					return err
				}
				want(t, fmt.Sprint("invoice ", kept[i].CbteHasta), withoutEmpty([]backend.Invoice{*found}), kept[i:i+1])
			}
		}
		_, missing := r.Invoice(ctx, anySeries, invoices[len(invoices)-1].CbteHasta+1)
		wantError(t, missing, backend.ErrNotFound, "the next number")
		used, err := r.CAEAUsed(ctx, "46450000000010", noteSeries.PtoVta)
		if !used {
			t.Error("the use of the advance code is not known")
		}
		_, missing = r.CAEA(ctx, "46450000000010")
		return errors.Join(err, missing)
	})
	wantReferrers(t, ledger, voucher(issuer, 6, 1, 1),
		backend.Referrer{Series: noteSeries, CbteHasta: 1}, backend.Referrer{Series: noteSeries, CbteHasta: 2})
}

// earlierInvoices are n invoices from the i-th on. The fifth is a range of ten numbers.
func earlierInvoices(i, n int) (invoices []backend.Invoice) {
	for ; n > 0; i, n = i+1, n-1 {
		number := int64(i)
		if i > 5 {
			number += 9
		}
		v := invoice(number, number, "20261106")
		if i == 5 {
			v.CbteHasta += 9
		}
		v.Code = fmt.Sprintf("9645%010d", i)
		v.Detail = fmt.Appendf(nil, `{"CbteDesde":%d,"CbteHasta":%d,"CbteFch":"20261106","ImpTotal":%d.21,"MonId":"PES"}`, v.CbteDesde, v.CbteHasta, 100*i)
		if i%4 == 0 {
			v.Observaciones = []byte(`{"Obs":[{"Code":10217,"Msg":"ñandú"}]}`)
		}
		invoices = append(invoices, v)
	}
	return invoices
}

func earlierNotes() []backend.Invoice {
	notes := []backend.Invoice{referrer(1, 1, asoc(6, 1, 1, "")), referrer(2, 2, asoc(6, 1, 1, ""))}
	for i := range notes {
		notes[i].Code, notes[i].EmisionTipo = "46450000000010", backend.EmisionCAEA
	}
	return notes
}

// withoutEmpty makes observations that are empty nil.
func withoutEmpty(invoices []backend.Invoice) []backend.Invoice {
	for i := range invoices {
		if len(invoices[i].Observaciones) == 0 {
			invoices[i].Observaciones = nil
		}
	}
	return invoices
}
