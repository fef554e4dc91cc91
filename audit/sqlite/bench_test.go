//go:build unix

package sqlite_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/audittest"
)

// BenchmarkAppend measures durable appends of whole exchanges, request of about
// 900 bytes and answer of about 500, from so many goroutines. FIELATO_BENCH_RECORDS
// is the number of records that the log has before.
func BenchmarkAppend(b *testing.B) {
	for _, writers := range []int{1, 32, 256} {
		b.Run(strconv.Itoa(writers), func(b *testing.B) { benchmarkAppend(b, writers) })
	}
}

func benchmarkAppend(b *testing.B, writers int) {
	path := filepath.Join(b.TempDir(), "evidence.db")
	s := open(b, path)
	trail, err := audit.Open(b.Context(), s, "gateway-1", audittest.Key(b, "gateway-1"), audit.Options{First: true})
	if err != nil {
		b.Fatal(err)
	}
	records := samples(4096)
	before, _ := strconv.Atoi(os.Getenv("FIELATO_BENCH_RECORDS")) // 0 if it is not set
	appendAll(b, trail, records, 256, before)
	b.ReportAllocs()
	cpu := cpuTime(b)
	b.ResetTimer()
	took := appendAll(b, trail, records, writers, b.N)
	b.StopTimer()
	cpu = cpuTime(b) - cpu
	if err := trail.Close(); err != nil {
		b.Fatal(err)
	}
	closeStore(b, s)
	slices.Sort(took)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
	b.ReportMetric(float64(cpu.Microseconds())/float64(b.N), "cpu-µs/record")
	b.ReportMetric(float64(diskSize(path))/float64(before+b.N), "bytes/record")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
	b.ReportMetric(float64(took[len(took)-1].Microseconds()), "max-µs")
}

// appendAll appends n records and returns how long each took.
func appendAll(b *testing.B, trail *audit.Trail, records []audit.Record, writers, n int) []time.Duration {
	took := make([]time.Duration, n)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				r := records[i%len(records)]
				r.Vouchers = []audit.Voucher{{CbteDesde: int64(i), CbteHasta: int64(i), Code: codeOf(i), Resultado: "A"}}
				began := time.Now()
				if _, err := trail.Append(b.Context(), &r); err != nil {
					b.Error(err)
					return
				}
				took[i] = time.Since(began)
			}
		})
	}
	wg.Wait()
	return took
}

func samples(n int) []audit.Record {
	source := audittest.NewSource(1)
	records := make([]audit.Record, n)
	for i := range records {
		r := source.Issue(1)
		for len(r.Vouchers) > 1 {
			r = source.Issue(1)
		}
		source.Answer(r)
		records[i] = *r
	}
	return records
}

// diskSize is what the file and its write-ahead log take.
func diskSize(path string) (size int64) {
	for _, name := range []string{path, path + "-wal"} {
		if info, err := os.Stat(name); err == nil {
			size += info.Size()
		}
	}
	return size
}

func cpuTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
