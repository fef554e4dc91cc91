//go:build unix

package sqlite_test

import (
	"fmt"
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
	"github.com/fielato/fielato/internal/audittest"
)

// BenchmarkAppend measures durable appends of whole exchanges, and what they take on the
// disk: one invoice (request of about 900 bytes, answer of about 450) from so many
// goroutines, and lots of 250 (160 kB and 70 kB). FIELATO_BENCH_RECORDS is the number of
// records that the log has before.
func BenchmarkAppend(b *testing.B) {
	for _, load := range []struct{ writers, vouchers int }{{1, 1}, {32, 1}, {256, 1}, {8, 250}} {
		b.Run(fmt.Sprintf("%dx%d", load.writers, load.vouchers), func(b *testing.B) { benchmarkAppend(b, load.writers, load.vouchers) })
	}
}

func benchmarkAppend(b *testing.B, writers, vouchers int) {
	path := filepath.Join(b.TempDir(), "evidence.db")
	s := open(b, path)
	trail, err := audit.Open(b.Context(), s, "gateway-1", audittest.Key(b, "gateway-1"), audit.Options{First: true})
	if err != nil {
		b.Fatal(err)
	}
	records := exchanges(1024/vouchers+1, vouchers)
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
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
	b.ReportMetric(float64(cpu.Microseconds())/float64(b.N), "cpu-µs/record")
	b.ReportMetric(float64(diskSize(path))/float64(before+b.N), "bytes/record")
	reportLatency(b, took)
}

// appendAll appends n records and returns how long each took.
func appendAll(b *testing.B, trail *audit.Writer, records []audit.Record, writers, n int) []time.Duration {
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
				r.Time = records[0].Time.Add(time.Duration(i) * 100 * time.Millisecond)
				r.Vouchers = slices.Clone(r.Vouchers)
				for j := range r.Vouchers {
					n := i*len(r.Vouchers) + j
					r.Vouchers[j] = audit.Voucher{CbteDesde: int64(n), CbteHasta: int64(n), Code: codeOf(n), Resultado: "A"}
				}
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

// diskSize is the size of the file and its write-ahead log.
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
