package month

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/testrun"
)

// BenchmarkMonth shows the page and the table of a month of 100,000 invoices, each in a request of its own.
func BenchmarkMonth(b *testing.B) {
	invoices := testrun.Scale(b, 1_000, 100_000)
	store, err := sqlite.Open(filepath.Join(b.TempDir(), "audit.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	for done := 0; done < invoices; {
		var records []*audit.Record
		for ; len(records) < 2000 && done < invoices; done++ {
			records = append(records, withIntents(uint64(2*done), issued(production, 6, int64(done+1), taxed))...)
		}
		if err := store.Commit(b.Context(), audittest.Seal(b, store, log, records...)); err != nil {
			b.Fatal(err)
		}
	}
	m := newRoom(siteOf(store))
	for _, path := range []string{"/month", "/month.csv"} {
		b.Run(strings.TrimPrefix(path, "/"), func(b *testing.B) {
			w := &world{room: m, t: b, store: store}
			for b.Loop() {
				got := w.get(path, "es").Body.String()
				if path == "/month" && !strings.Contains(got, fmt.Sprintf(">%s<", spanish.CountIn("es", invoices))) || strings.HasSuffix(path, "csv") && strings.Count(got, "\n") != invoices+1 {
					b.Fatal(got[max(0, len(got)-3000):])
				}
			}
			b.ReportMetric(float64(invoices)*float64(b.N)/b.Elapsed().Seconds(), "invoices/s")
		})
	}
}
