// Package backendtest is the contract of backend.Ledger in executable form: every
// ledger passes the one Suite.
package backendtest

import (
	"context"
	"errors"
	"testing"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/wsfev1"
)

// Open opens the ledger in a folder. A folder that was never opened has an empty ledger; the
// same folder has the same ledger again, even while it is open. Open ends the test if it fails.
// The caller closes the ledger.
type Open func(tb testing.TB, place string) backend.Ledger

// Suite holds a kind of ledger to its contract.
func Suite(t *testing.T, open Open) {
	tests := []struct {
		name string
		run  func(*testing.T, Open)
	}{
		{"a new series is empty", newSeriesIsEmpty},
		{"invoices are found by any number of their range", invoicesAreFound},
		{"the invoices of a lot are kept one by one", lotsAreFound},
		{"series do not mix", seriesDoNotMix},
		{"append refuses gaps, repetitions and older dates", appendRefuses},
		{"every number is given once under concurrency", numbersAreGivenOnce},
		{"two ledgers in one place share the numbering", twoLedgersShareNumbering},
		{"serial numbers never repeat", serialsNeverRepeat},
		{"an update that fails leaves nothing", failedUpdateLeavesNothing},
		{"an update that panics fails alone", panickingUpdateFailsAlone},
		{"an update sees what it wrote", updateSeesItself},
		{"everything is there after reopening", everythingSurvives},
		{"an advance code is given once", caeaIsGivenOnce},
		{"the use of an advance code is known", caeaUseIsKnown},
		{"sin movimiento is declared once and listed in order", sinMovimientoIsListed},
		{"who refers to a voucher is found", referrersAreFound},
		{"who was not kept refers to nothing", failedReferrerIsNotFound},
		{"everything can be gone through in order", everythingIsGoneThrough},
		{"going through ends when asked to", goingThroughCanStop},
		{"a reset leaves nothing but the serial numbers", resetLeavesSerialsAlone},
		{"a reset forgets what was derived from invoices", resetForgetsWhatWasDerived},
		{"serial numbers can be skipped", serialsAreSkipped},
		{"an import gives no code twice", importGivesNoCodeTwice},
		{"an ended context stops what has not begun", endedContextStops},
		{"a closed ledger says so", closedLedgerSaysSo},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t, open) })
	}
}

var anySeries = backend.Series{Cuit: 20267565393, PtoVta: 1, CbteTipo: 6}

func opened(t *testing.T, open Open) backend.Ledger {
	ledger := open(t, t.TempDir())
	t.Cleanup(func() { closed(t, ledger) })
	return ledger
}

func closed(t *testing.T, ledger backend.Ledger) {
	t.Helper()
	if err := ledger.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func invoice(from, to int64, date wsfev1.Date) backend.Invoice {
	return backend.Invoice{
		CbteDesde: from, CbteHasta: to, CbteFch: date,
		Code: "96450000000012", EmisionTipo: backend.EmisionCAE,
		FchVto: date.AddDays(10), FchProceso: wsfev1.Timestamp(date + "103015"),
		Detail: []byte(`{"ImpTotal":1234567890123.45,"Desc":"ñandú"}`),
	}
}

func update(t *testing.T, ledger backend.Ledger, fn func(context.Context, backend.Tx) error) {
	t.Helper()
	if err := ledger.Update(t.Context(), func(tx backend.Tx) error { return fn(t.Context(), tx) }); err != nil {
		t.Fatalf("Update: %v", err)
	}
}

func view(t *testing.T, ledger backend.Ledger, fn func(context.Context, backend.Reader) error) {
	t.Helper()
	if err := ledger.View(t.Context(), func(r backend.Reader) error { return fn(t.Context(), r) }); err != nil {
		t.Fatalf("View: %v", err)
	}
}

func appendTo(t *testing.T, ledger backend.Ledger, series backend.Series, invoices ...backend.Invoice) {
	t.Helper()
	update(t, ledger, func(ctx context.Context, tx backend.Tx) error { return tx.Append(ctx, series, invoices) })
}

func state(t *testing.T, ledger backend.Ledger, series backend.Series) (state backend.SeriesState) {
	t.Helper()
	view(t, ledger, func(ctx context.Context, r backend.Reader) (err error) {
		state, err = r.Series(ctx, series)
		return err
	})
	return state
}

func wantError(t *testing.T, got, want error, what string) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: error %v, want %v", what, got, want)
	}
}
