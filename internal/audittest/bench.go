package audittest

import (
	"slices"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
)

// BenchmarkSearch measures searches in the log gateway-1 of so many records, each for another
// one of them, anywhere in the log. It reports the median, the 95th and the 99th percentile.
func BenchmarkSearch(b *testing.B, s audit.Store, records uint64, query func(*audit.Record) audit.Query) {
	took := make([]time.Duration, 0, b.N)
	for i := range b.N {
		b.StopTimer()
		r, err := s.Get(b.Context(), "gateway-1", uint64(i+1)*0x9e3779b97f4a7c15%records)
		if err != nil {
			b.Fatal(err)
		}
		q := query(r)
		q.Log = "gateway-1"
		b.StartTimer()
		began := time.Now()
		for _, err := range s.Search(b.Context(), q) {
			if err != nil {
				b.Fatal(err)
			}
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "median-µs")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "p95-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}
