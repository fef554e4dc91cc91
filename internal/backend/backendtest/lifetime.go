package backendtest

import (
	"context"
	"testing"

	"github.com/fielato/fielato/internal/backend"
)

func everythingSurvives(t *testing.T, open Open) {
	place := t.TempDir()
	ledger := open(t, place)
	reported := invoice(2, 2, "20261106")
	caea := advance("46450000000010", anySeries.Cuit, 1)
	reported.Code, reported.EmisionTipo = caea.Code, backend.EmisionCAEA
	appendTo(t, ledger, anySeries, invoice(1, 1, "20261106"), reported)
	update(t, ledger, func(ctx context.Context, tx backend.Tx) error {
		if err := tx.AddCAEA(ctx, caea); err != nil {
			return err
		}
		return tx.AddSinMovimiento(ctx, backend.SinMovimiento{CAEA: caea.Code, PtoVta: 4, FchProceso: "20261106"})
	})
	closed(t, ledger)

	ledger = open(t, place)
	defer closed(t, ledger)
	if got := state(t, ledger, anySeries); got.Last != 2 || got.LastFch != "20261106" {
		t.Errorf("series %+v after reopening", got)
	}
	view(t, ledger, func(ctx context.Context, r backend.Reader) error {
		got, err := r.Invoice(ctx, anySeries, 2)
		if err != nil {
			return err
		}
		if got.Code != caea.Code || string(got.Detail) != string(reported.Detail) {
			t.Errorf("invoice %+v after reopening", got)
		}
		kept, err := r.CAEA(ctx, caea.Code)
		if err != nil {
			return err
		}
		if *kept != caea {
			t.Errorf("advance code %+v after reopening", kept)
		}
		if used, err := r.CAEAUsed(ctx, caea.Code, anySeries.PtoVta); err != nil || !used {
			t.Errorf("use of the advance code after reopening: %v, %v", used, err)
		}
		if declared, err := r.SinMovimiento(ctx, caea.Code); err != nil || len(declared) != 1 {
			t.Errorf("sin movimiento after reopening: %v, %v", declared, err)
		}
		return nil
	})
	appendTo(t, ledger, anySeries, invoice(3, 3, "20261106"))
}

func endedContextStops(t *testing.T, open Open) {
	ledger := opened(t, open)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ran := false
	err := ledger.Update(ctx, func(backend.Tx) error { ran = true; return nil })
	wantError(t, err, context.Canceled, "Update")
	err = ledger.View(ctx, func(backend.Reader) error { ran = true; return nil })
	wantError(t, err, context.Canceled, "View")
	if ran {
		t.Error("a function ran although its context had ended")
	}
	appendTo(t, ledger, anySeries, invoice(1, 1, "20261106"))
}

func closedLedgerSaysSo(t *testing.T, open Open) {
	ledger := open(t, t.TempDir())
	closed(t, ledger)
	err := ledger.Update(t.Context(), func(backend.Tx) error { return nil })
	wantError(t, err, backend.ErrClosed, "Update")
	err = ledger.View(t.Context(), func(backend.Reader) error { return nil })
	wantError(t, err, backend.ErrClosed, "View")
	closed(t, ledger)
}
