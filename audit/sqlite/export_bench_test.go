//go:build unix

package sqlite_test

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/export"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/testrun"
)

// BenchmarkExport measures the export of whole exchanges (as in BenchmarkAppend), and
// the verification of what was exported. FIELATO_BENCH_RECORDS is the number of records,
// 20,000 if it is not set.
func BenchmarkExport(b *testing.B) {
	key := audittest.Key(b, "gateway-1")
	s := open(b, filepath.Join(b.TempDir(), "evidence.db"))
	defer closeStore(b, s)
	trail, err := audit.Open(b.Context(), s, "gateway-1", key, audit.Options{First: true})
	if err != nil {
		b.Fatal(err)
	}
	n, _ := strconv.Atoi(os.Getenv("FIELATO_BENCH_RECORDS"))
	n = cmp.Or(n, testrun.Scale(b, 500, 20_000))
	appendAll(b, trail, exchanges(4096, 1), 256, n)
	if err := trail.Close(); err != nil {
		b.Fatal(err)
	}
	for name, compress := range map[string]bool{"plain": false, "zstd": true} {
		path := filepath.Join(b.TempDir(), name)
		b.Run("export/"+name, func(b *testing.B) {
			cpu := cpuTime(b)
			for b.Loop() {
				if err := os.RemoveAll(path); err != nil {
					b.Fatal(err)
				}
				folder, err := export.OpenDirectory(path)
				if err != nil {
					b.Fatal(err)
				}
				peak := watchHeap(b)
				_, err = export.Write(b.Context(), s, "gateway-1", folder, export.Options{Verifier: key.Verifier(), Compress: compress})
				if err != nil {
					b.Fatal(err)
				}
				peak()
				if err := folder.Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "records/s")
			b.ReportMetric(float64((cpuTime(b)-cpu).Microseconds())/float64(n*b.N), "cpu-µs/record")
			b.ReportMetric(float64(folderSize(b, path))/float64(n), "bytes/record")
		})
		b.Run("verify/"+name, func(b *testing.B) {
			cpu := cpuTime(b)
			for b.Loop() {
				peak := watchHeap(b)
				report, err := export.Verify(b.Context(), os.DirFS(path), export.VerifyOptions{Verifier: key.Verifier()})
				if err != nil || !report.Sound() {
					b.Fatal(report, err)
				}
				peak()
			}
			b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "records/s")
			b.ReportMetric(float64((cpuTime(b)-cpu).Microseconds())/float64(n*b.N), "cpu-µs/record")
		})
	}
}

// watchHeap reports the largest heap until the function that it returns is called.
func watchHeap(b *testing.B) func() {
	runtime.GC()
	var peak atomic.Uint64
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak.Store(max(peak.Load(), m.HeapInuse))
			select {
			case <-stop:
				return
			case <-tick.C:
			}
		}
	}()
	return func() {
		close(stop)
		<-done
		b.ReportMetric(float64(peak.Load())/(1<<20), "MiB-peak")
	}
}

func folderSize(b *testing.B, path string) (size int64) {
	entries, err := os.ReadDir(path)
	if err != nil {
		b.Fatal(err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			b.Fatal(err)
		}
		size += info.Size()
	}
	return size
}
