package reading_test

import (
	"cmp"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fielato/fielato/audit"
	auditsqlite "github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/testrun"
)

// BenchmarkStats measures the count of all exchanges of a log. FIELATO_BENCH_RECORDS is the number of its
// records, half of them intents, 20,000 if it is not set. FIELATO_BENCH_WRITERS is the number of
// connections that wrote them, 32 if it is not set: with one each record has a row of its own.
func BenchmarkStats(b *testing.B) {
	n := fromEnvironment("FIELATO_BENCH_RECORDS", testrun.Scale(b, 500, 20_000))
	path := filepath.Join(b.TempDir(), "audit.db")
	fillPairs(b, path, n/2, fromEnvironment("FIELATO_BENCH_WRITERS", 32))
	for _, by := range []string{"operation", "day", "finding,client"} {
		b.Run(by, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				out, errs, err := caddytest.AuditCommand("stats", "--store", "sqlite:"+path, "--by", by, "--format", "csv")
				if err != nil || by == "operation" && !strings.HasSuffix(out, "FECAESolicitar,"+strconv.Itoa(n/2)+"\n") {
					b.Fatal(err, errs, out)
				}
			}
			b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "records/s")
		})
	}
}

func fromEnvironment(name string, missing int) int {
	n, _ := strconv.Atoi(os.Getenv(name))
	return cmp.Or(n, missing)
}

// fillPairs writes n invoices as a gateway does, each an intent and an outcome.
func fillPairs(b *testing.B, path string, n, writers int) {
	b.Helper()
	store, err := auditsqlite.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	key := audittest.Key(b, "gateway-1")
	trail, err := audit.Open(b.Context(), store, "gateway-1", key, audit.Options{First: true})
	if err != nil {
		b.Fatal(err)
	}
	var left atomic.Int64
	left.Store(int64(n))
	var all sync.WaitGroup
	for seed := range writers {
		source := audittest.NewSource(uint64(seed))
		all.Go(func() {
			for left.Add(-1) >= 0 {
				r := source.Issue(1)
				r.Kind = audit.KindIntent
				intent, err := trail.Append(b.Context(), r)
				if err != nil {
					b.Error(err)
					return
				}
				r.Kind, r.Intent, r.Request = audit.KindOutcome, intent, nil
				source.Answer(r)
				if _, err := trail.Append(b.Context(), r); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	if err := trail.Close(); err != nil {
		b.Fatal(err)
	}
	if err := store.Close(); err != nil {
		b.Fatal(err)
	}
}
