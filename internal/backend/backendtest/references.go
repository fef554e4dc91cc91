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

// noteSeries is in class and point of sale apart from anySeries, to whose vouchers its
// invoices refer.
var noteSeries = backend.Series{Cuit: anySeries.Cuit, PtoVta: 2, CbteTipo: 8}

// referrer is an invoice whose detail has these items in CbtesAsoc.
func referrer(from, to int64, items string) backend.Invoice {
	note := invoice(from, to, "20261106")
	note.Detail = []byte(`{"ImpTotal":0.10,"CbtesAsoc":{"CbteAsoc":[` + items + `]},"Opcionales":{"Opcional":[{"Id":"23","Valor":"CbtesAsoc"}]}}`)
	return note
}

func asoc(tipo, ptoVta int32, nro int64, more string) string {
	return fmt.Sprintf(`{"Tipo":%d,"PtoVta":%d,"Nro":%d%s}`, tipo, ptoVta, nro, more)
}

func voucher(cuit wsfev1.CUIT, tipo, ptoVta int32, nro int64) backend.IssuedVoucher {
	return backend.IssuedVoucher{Cuit: cuit, Voucher: backend.Voucher{CbteTipo: tipo, PtoVta: ptoVta, Nro: nro}}
}

func wantReferrers(t *testing.T, ledger backend.Ledger, of backend.IssuedVoucher, want ...backend.Referrer) {
	t.Helper()
	view(t, ledger, func(ctx context.Context, r backend.Reader) error {
		got, err := r.Referring(ctx, of)
		if len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("to %+v refer %+v, want %+v", of, got, want)
		}
		return err
	})
}

func referrersAreFound(t *testing.T, open Open) {
	place := t.TempDir()
	ledger := open(t, place)
	const other = 30000000007
	others := backend.Series{Cuit: other, PtoVta: 1, CbteTipo: 8}
	credit := backend.Series{Cuit: noteSeries.Cuit, PtoVta: 2, CbteTipo: 3}
	first := asoc(6, 1, 1, "")
	plain := invoice(1, 1, "20261106")
	plain.Detail = []byte(`{"Opcionales":{"Opcional":[{"Id":"23","Valor":"CbtesAsoc"}]}}`)
	appendTo(t, ledger, anySeries, plain)
	appendTo(t, ledger, noteSeries,
		referrer(1, 1, first+","+asoc(6, 1, 2, `,"Cuit":"20267565393","CbteFch":"20261105"`)),
		referrer(2, 4, first+","+first),
		referrer(5, 5, asoc(6, 1, 1, `,"Cuit":"30000000007"`)),
		referrer(6, 6, asoc(6, 1, 99999999, `,"Cuit":"2026756539"`)),
		invoice(7, 7, "20261106"))
	appendTo(t, ledger, others, referrer(1, 1, first+","+asoc(6, 1, 1, `,"Cuit":"20267565393"`)))
	appendTo(t, ledger, credit, referrer(1, 1, first))

	for range 2 {
		of := func(s backend.Series, number int64) backend.Referrer {
			return backend.Referrer{Series: s, CbteHasta: number}
		}
		wantReferrers(t, ledger, voucher(issuer, 6, 1, 1), of(credit, 1), of(noteSeries, 1), of(noteSeries, 4), of(others, 1))
		wantReferrers(t, ledger, voucher(issuer, 6, 1, 2), of(noteSeries, 1))
		wantReferrers(t, ledger, voucher(other, 6, 1, 1), of(noteSeries, 5), of(others, 1))
		wantReferrers(t, ledger, voucher(issuer, 6, 1, 99999999), of(noteSeries, 6))
		wantReferrers(t, ledger, voucher(issuer, 6, 2, 1))
		wantReferrers(t, ledger, voucher(issuer, 8, 1, 1))
		wantReferrers(t, ledger, voucher(issuer, 6, 1, 3))
		closed(t, ledger)
		ledger = open(t, place)
	}
	closed(t, ledger)
}

const issuer = wsfev1.CUIT(20267565393)

func failedReferrerIsNotFound(t *testing.T, open Open) {
	ledger := opened(t, open)
	refusal := errors.New("refused")
	err := ledger.Update(t.Context(), func(tx backend.Tx) error {
		if err := tx.Append(t.Context(), noteSeries, []backend.Invoice{referrer(1, 1, asoc(6, 1, 1, ""))}); err != nil {
			return err
		}
		got, err := tx.Referring(t.Context(), voucher(issuer, 6, 1, 1))
		if err != nil {
			return err
		}
		if len(got) != 1 {
			t.Errorf("within the update %+v refer to it", got)
		}
		return refusal
	})
	wantError(t, err, refusal, "Update")
	wantReferrers(t, ledger, voucher(issuer, 6, 1, 1))
}
