package backend_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/backend/sqlite"
	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// BenchmarkFECAESolicitar measures one-invoice requests from Answer to Answer,
// each issuer on its own series, on a new ledger and on one with 200,000 invoices
// of a hundred issuers.
func BenchmarkFECAESolicitar(b *testing.B) {
	for _, kept := range []int{0, testrun.Scale(b, 500, 200_000)} {
		for _, issuers := range []int{1, 32} {
			b.Run(fmt.Sprintf("kept=%d/issuers=%d", kept, issuers), func(b *testing.B) {
				ledger, err := sqlite.Open(filepath.Join(b.TempDir(), "ledger.db"))
				if err != nil {
					b.Fatal(err)
				}
				defer ledger.Close()
				service, err := backend.New(ledger, backend.Options{Clock: clock})
				if err != nil {
					b.Fatal(err)
				}
				fill(b, service, kept)
				issue(b, service, issuers)
			})
		}
	}
}

func fill(b *testing.B, service *backend.Backend, invoices int) {
	const lot, issuers = 250, 100
	for i := range invoices / lot {
		first := int64(i/issuers*lot) + 1
		r := lotRequest(wsfev1.CUIT(20_000_000_000+i%issuers), 1, 6, first, lot)
		answerAll(b, service, r, lot)
	}
}

func issue(b *testing.B, service *backend.Backend, issuers int) {
	var left, next atomic.Int64
	left.Store(int64(b.N))
	done := make(chan error, issuers)
	b.ResetTimer()
	for range issuers {
		go func() {
			cuit := wsfev1.CUIT(30_000_000_000 + next.Add(1))
			for number := int64(1); left.Add(-1) >= 0; number++ {
				answer, err := service.Answer(context.Background(), &validate.Request{Operation: operation("FECAESolicitar"), Body: lotRequest(cuit, 1, 6, number, 1)})
				if err != nil || answer.(*wsfev1.FECAESolicitarAnswer).FeCabResp.Resultado != wsfev1.Aprobado {
					done <- fmt.Errorf("number %d: %v: %w", number, answer, err)
					return
				}
			}
			done <- nil
		}()
	}
	for range issuers {
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "invoices/s")
}

func answerAll(tb testing.TB, service *backend.Backend, r *wsfev1.FECAESolicitarRequest, lot int) {
	tb.Helper()
	answer, err := service.Answer(context.Background(), &validate.Request{Operation: operation("FECAESolicitar"), Body: r})
	if err != nil {
		tb.Fatal(err)
	}
	if got := wsfev1.VerdictOf(answer); got.Resultado != wsfev1.Aprobado || len(got.Invoices) != lot {
		tb.Fatalf("lot of %d answered %s with %d invoices, codes %v", lot, got.Resultado, len(got.Invoices), got.Codes)
	}
}
