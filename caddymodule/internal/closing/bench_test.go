package closing_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/closing"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/testrun"
)

// BenchmarkMonth adds up the invoices of one month in a store with SQLite, single ones and lots of 250. The goal
// is 100,000 invoices in a second.
func BenchmarkMonth(b *testing.B) {
	for name, size := range map[string]int{"single": 1, "lots": 250} {
		b.Run(name, func(b *testing.B) {
			invoices := testrun.Scale(b, 2_000, 200_000)
			store, err := sqlite.Open(filepath.Join(b.TempDir(), "audit.db"))
			if err != nil {
				b.Fatal(err)
			}
			defer store.Close()
			index := uint64(0)
			source := audittest.NewSource(1)
			for done := 0; done < invoices; {
				var records []*audit.Record
				for len(records) < 2000 && done < invoices {
					intent := source.Issue(max(size, 2)) // a single one may become a lot by chance
					intent.Vouchers = intent.Vouchers[:size]
					intent.Kind, intent.Certainty = audit.KindIntent, audit.Unknown
					outcome := *intent
					outcome.Kind, outcome.Intent, outcome.Vouchers = audit.KindOutcome, index, append([]audit.Voucher{}, intent.Vouchers...)
					source.Answer(&outcome)
					outcome.Request = nil
					records = append(records, intent, &outcome)
					index, done = index+2, done+size
				}
				if err := store.Commit(b.Context(), audittest.Seal(b, store, "one", records...)); err != nil {
					b.Fatal(err)
				}
			}
			b.ResetTimer()
			for b.Loop() {
				totals, n := closing.NewTotals(), 0
				for i, err := range closing.Invoices(b.Context(), store, []string{"one"}, closing.Wanted{Month: closing.Month{Year: 2026, Month: time.January}, By: closing.ByDate}, nil) {
					if err != nil {
						b.Fatal(err)
					}
					totals.Add(i)
					n++
				}
				if n != invoices || len(totals.Rows()) == 0 {
					b.Fatalf("%d invoices of %d", n, invoices)
				}
			}
			b.ReportMetric(float64(invoices)*float64(b.N)/b.Elapsed().Seconds(), "invoices/s")
		})
	}
}
