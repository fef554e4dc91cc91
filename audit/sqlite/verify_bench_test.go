//go:build unix

package sqlite_test

import (
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/verify"
	"github.com/fielato/fielato/internal/audittest"
)

// BenchmarkVerify measures the verification of a log of b.N whole exchanges of about
// 2.5 kB, written by 256 goroutines at a time, and the memory that it needs at most.
func BenchmarkVerify(b *testing.B) {
	path := filepath.Join(b.TempDir(), "evidence.db")
	s := open(b, path)
	defer closeStore(b, s)
	trail, err := audit.Open(b.Context(), s, "gateway-1", audittest.Key(b, "gateway-1"), audit.Options{First: true})
	if err != nil {
		b.Fatal(err)
	}
	records := exchanges(2048, 1)
	appendAll(b, trail, records, 256, b.N)
	if err := trail.Close(); err != nil {
		b.Fatal(err)
	}
	size := 0
	for i := range records {
		form := records[i].Encode(nil)
		size += form.Len()
	}
	runtime.GC()
	b.ReportAllocs()
	cpu := cpuTime(b)
	b.ResetTimer()
	var peak atomic.Uint64
	report, err := verify.Log(b.Context(), s, "gateway-1", audittest.Key(b, "gateway-1").Verifier(), verify.Options{
		Progress: func(records, _ uint64) {
			if records%(1<<15) < audit.TileWidth {
				var stats runtime.MemStats
				runtime.ReadMemStats(&stats)
				peak.Store(max(peak.Load(), stats.HeapInuse))
			}
		},
	})
	b.StopTimer()
	cpu = cpuTime(b) - cpu
	if err != nil || !report.Sound() || report.Records != uint64(b.N) {
		b.Fatalf("%v, %+v", err, report)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
	b.ReportMetric(float64(cpu.Nanoseconds())/float64(b.N)/1000, "cpu-µs/record")
	b.ReportMetric(float64(size)/2048, "form-bytes/record")
	b.ReportMetric(float64(diskSize(path))/float64(b.N), "bytes/record")
	b.ReportMetric(float64(peak.Load())/(1<<20), "heap-MiB")
}
