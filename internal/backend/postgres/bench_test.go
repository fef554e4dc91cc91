package postgres_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/backend/sqlite"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
	"github.com/fielato/fielato/wsfev1"
)

// BenchmarkIssue measures Updates like FECAESolicitar's from 64 goroutines, on 64
// series and on one, with one ledger and with two that share the database. The server syncs
// to disk. Each run also measures the SQLite ledger, right before and after: only the ratio counts.
func BenchmarkIssue(b *testing.B) {
	cluster := postgrestest.New(b, "")
	for _, series := range []int{64, 1} {
		for _, ledgers := range []int{1, 2} {
			b.Run(fmt.Sprintf("series=%d/ledgers=%d", series, ledgers), func(b *testing.B) {
				dsn := cluster.Database(b)
				before := issuesPerSecond(b, series, sqliteLedger(b))
				shared := make([]backend.Ledger, ledgers)
				for i := range shared {
					shared[i] = open(b, dsn)
				}
				b.ResetTimer()
				got := issuesPerSecond(b, series, shared...)
				b.StopTimer()
				after := issuesPerSecond(b, series, sqliteLedger(b))
				b.ReportMetric(got, "invoices/s")
				b.ReportMetric(2*got/(before+after), "of-sqlite")
			})
		}
	}
}

func sqliteLedger(b *testing.B) backend.Ledger {
	ledger, err := sqlite.Open(filepath.Join(b.TempDir(), "ledger.db"))
	if err != nil {
		b.Fatal(err)
	}
	return ledger
}

// issuesPerSecond issues b.N invoices and closes the ledgers.
func issuesPerSecond(b *testing.B, series int, ledgers ...backend.Ledger) float64 {
	const clients = 64
	for _, ledger := range ledgers {
		defer ledger.Close()
	}
	var left atomic.Int64
	left.Store(int64(b.N))
	var running sync.WaitGroup
	begun := time.Now()
	for i := range clients {
		running.Go(func() {
			for left.Add(-1) >= 0 {
				if _, err := issue(context.Background(), ledgers[i%len(ledgers)], seriesOf(i/len(ledgers)%series)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	running.Wait()
	return float64(b.N) / time.Since(begun).Seconds()
}

func seriesOf(i int) backend.Series {
	return backend.Series{Cuit: wsfev1.CUIT(20267565393 + i), PtoVta: 1, CbteTipo: 6}
}

var benchDetail = []byte(`{"Concepto":1,"DocTipo":99,"DocNro":0,"CbteDesde":1,"CbteHasta":1,"CbteFch":"20261106","ImpTotal":121.00,` +
	`"ImpTotConc":0,"ImpNeto":100.00,"ImpOpEx":0,"ImpTrib":0,"ImpIVA":21.00,"MonId":"PES","MonCotiz":1,"CondicionIVAReceptorId":5,` +
	`"Iva":{"AlicIva":[{"Id":5,"BaseImp":100.00,"Importe":21.00}]}}`)

// issue appends the next invoice of a series, with its own code, and returns its number.
func issue(ctx context.Context, ledger backend.Ledger, series backend.Series) (number int64, err error) {
	err = ledger.Update(ctx, func(tx backend.Tx) error {
		state, err := tx.Series(ctx, series)
		if err != nil {
			return err
		}
		serials, err := tx.Serials(ctx, 1)
		if err != nil {
			return err
		}
		number = state.Last + 1
		return tx.Append(ctx, series, []backend.Invoice{{
			CbteDesde: number, CbteHasta: number, CbteFch: "20261106", Code: fmt.Sprintf("9645%010d", serials[0]),
			EmisionTipo: backend.EmisionCAE, FchVto: "20261116", FchProceso: "20261106103015", Detail: benchDetail,
		}})
	})
	return number, err
}
