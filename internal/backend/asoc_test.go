package backend_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/backend/sqlite"
	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// countingLedger counts reads.
type countingLedger struct {
	backend.Ledger
	views, reads atomic.Int64
}

func (l *countingLedger) View(ctx context.Context, fn func(backend.Reader) error) error {
	l.views.Add(1)
	return l.Ledger.View(ctx, fn)
}

func (l *countingLedger) Update(ctx context.Context, fn func(backend.Tx) error) error {
	return l.Ledger.Update(ctx, func(tx backend.Tx) error { return fn(&countingTx{tx, l}) })
}

type countingTx struct {
	backend.Tx
	ledger *countingLedger
}

func (t *countingTx) Invoice(ctx context.Context, series backend.Series, number int64) (*backend.Invoice, error) {
	t.ledger.reads.Add(1)
	return t.Tx.Invoice(ctx, series, number)
}

func (t *countingTx) Referring(ctx context.Context, voucher backend.IssuedVoucher) ([]backend.Referrer, error) {
	t.ledger.reads.Add(1)
	return t.Tx.Referring(ctx, voucher)
}

func openLedger(tb testing.TB) backend.Ledger {
	tb.Helper()
	ledger, err := sqlite.Open(filepath.Join(tb.TempDir(), "ledger.db"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { ledger.Close() })
	return ledger
}

// note is a request for one invoice that refers to others.
func note(ptoVta, cbteTipo int32, number int64, asocs ...wsfev1.CbteAsoc) *wsfev1.FECAESolicitarRequest {
	r := lotRequest(issuer, ptoVta, cbteTipo, number, 1)
	d := &r.FeCAEReq.FeDetReq.FECAEDetRequest[0]
	d.CbtesAsoc = &wsfev1.CbtesAsoc{CbteAsoc: asocs}
	if wsfev1.IsFCE(cbteTipo) {
		d.Opcionales = &wsfev1.Opcionales{Opcional: []wsfev1.Opcional{{Id: "22", Valor: "N"}}}
	}
	return r
}

func TestAnInvoiceThatRefersToNothingCostsNoRead(t *testing.T) {
	ledger := &countingLedger{Ledger: openLedger(t)}
	service := serviceOn(t, ledger)
	answerAll(t, service, lotRequest(issuer, 1, 6, 1, 20), 20)
	if views, reads := ledger.views.Load(), ledger.reads.Load(); views != 0 || reads != 0 {
		t.Errorf("%d views and %d reads within the update for invoices that refer to nothing", views, reads)
	}
	answerAll(t, service, note(1, 8, 1, wsfev1.CbteAsoc{Tipo: 6, PtoVta: 1, Nro: 1}), 1)
	if views, reads := ledger.views.Load(), ledger.reads.Load(); views != 1 || reads != 0 {
		t.Errorf("%d views and %d reads within the update for an ordinary note, want 1 and 0", views, reads)
	}
}

func TestRivalCreditNotesDoNotExceedTheBalanceTogether(t *testing.T) {
	service := serviceOn(t, openLedger(t))
	credit := lotRequest(issuer, 1, 206, 1, 1)
	answerAll(t, service, credit, 1)
	const rivals = 2
	results := make([]wsfev1.Verdict, rivals)
	var wait sync.WaitGroup
	for i := range rivals {
		r := note(int32(i)+1, 208, 1, wsfev1.CbteAsoc{
			Tipo: 206, PtoVta: 1, Nro: 1, Cuit: issuer.String(), CbteFch: wsfev1.DateOf(processed),
		})
		r.FeCAEReq.FeDetReq.FECAEDetRequest[0].ImpTotal = wsfev1.MustAmount("72.60")
		wait.Go(func() {
			answer, err := service.Answer(t.Context(), &validate.Request{Operation: operation("FECAESolicitar"), Body: r})
			if err != nil {
				t.Error(err)
				return
			}
			results[i] = wsfev1.VerdictOf(answer)
		})
	}
	wait.Wait()
	approved := 0
	for _, r := range results {
		if r.Resultado == wsfev1.Aprobado {
			approved++
		} else if fmt.Sprint(r.Codes) != "[10184]" {
			t.Errorf("a rival was rejected with %v instead of 10184", r.Codes)
		}
	}
	if approved != 1 {
		t.Errorf("%d credit notes of 72.60 were approved against an invoice of 121.00", approved)
	}
}

// BenchmarkCreditNote measures ordinary credit notes, and credit notes to credit invoices MiPyME
// that have so many notes already.
func BenchmarkCreditNote(b *testing.B) {
	for _, kept := range []int{0, testrun.Scale(b, 500, 100_000)} {
		b.Run(fmt.Sprintf("kept=%d/plain", kept), func(b *testing.B) {
			service := filled(b, kept)
			asoc := wsfev1.CbteAsoc{Tipo: 6, PtoVta: 1, Nro: 1}
			for number := int64(1); b.Loop(); number++ {
				answerAll(b, service, note(1, 8, number, asoc), 1)
			}
		})
		for _, before := range []int64{1, 100} {
			b.Run(fmt.Sprintf("kept=%d/fce-after=%d", kept, before), func(b *testing.B) { benchmarkFCE(b, filled(b, kept), before) })
		}
	}
}

func filled(b *testing.B, kept int) *backend.Backend {
	service, err := backend.New(openLedger(b), backend.Options{Clock: clock})
	if err != nil {
		b.Fatal(err)
	}
	fill(b, service, kept)
	answerAll(b, service, lotRequest(issuer, 1, 6, 1, 1), 1)
	return service
}

// benchmarkFCE asks for notes that are refused: so the number of those before stays.
func benchmarkFCE(b *testing.B, service *backend.Backend, before int64) {
	answerAll(b, service, lotRequest(issuer, 1, 206, 1, 1), 1)
	asoc := wsfev1.CbteAsoc{Tipo: 206, PtoVta: 1, Nro: 1, Cuit: issuer.String(), CbteFch: wsfev1.DateOf(processed)}
	number := int64(1)
	for ; number <= before; number++ {
		r := note(1, 208, number, asoc)
		r.FeCAEReq.FeDetReq.FECAEDetRequest[0].ImpTotal = wsfev1.MustAmount("0.01")
		answerAll(b, service, r, 1)
	}
	request := &validate.Request{Operation: operation("FECAESolicitar"), Body: note(1, 208, number, asoc)}
	for b.Loop() {
		if _, err := service.Answer(context.Background(), request); err != nil {
			b.Fatal(err)
		}
	}
}
