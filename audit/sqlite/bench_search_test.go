//go:build unix

package sqlite_test

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/testrun"
)

// BenchmarkSearch measures searches among FIELATO_BENCH_RECORDS, 20,000 if it is not set. Each is for another
// exchange, anywhere in the log, of which ten begin in a second. FIELATO_BENCH_STORE is a path at which the store
// is kept for the next time: 1,000,000 records take half a minute to write, and 700 MB.
func BenchmarkSearch(b *testing.B) {
	n, err := strconv.Atoi(cmp.Or(os.Getenv("FIELATO_BENCH_RECORDS"), strconv.Itoa(testrun.Scale(b, 500, 20_000))))
	if err != nil {
		b.Fatal(err)
	}
	s := searched(b, cmp.Or(os.Getenv("FIELATO_BENCH_STORE"), filepath.Join(b.TempDir(), "evidence.db")), n)
	defer closeStore(b, s)
	for name, query := range map[string]func(*audit.Record) audit.Query{
		"invoice": func(r *audit.Record) audit.Query {
			return audit.Query{Cuit: r.Cuit, PtoVta: r.PtoVta, CbteTipo: r.CbteTipo, Number: r.Vouchers[0].CbteDesde}
		},
		"number": func(r *audit.Record) audit.Query {
			return audit.Query{PtoVta: r.PtoVta, CbteTipo: r.CbteTipo, Number: r.Vouchers[0].CbteDesde}
		},
		"an hour": func(r *audit.Record) audit.Query {
			hour := r.Time.Truncate(time.Hour)
			return audit.Query{Cuit: r.Cuit, Since: hour, Until: hour.Add(time.Hour), Limit: 50}
		},
		"new series": func(r *audit.Record) audit.Query { // as a new series is recalled
			return audit.Query{Cuit: r.Cuit, PtoVta: 9, CbteTipo: r.CbteTipo, Operation: r.Operation, NoExchanges: true, Limit: 2000}
		},
		"receiver": func(r *audit.Record) audit.Query { // 245 of a million records have it
			if all := r.Receivers(); len(all) > 0 {
				return audit.Query{Receiver: all[0], Limit: 50}
			}
			return audit.Query{Receiver: 20111111112, Limit: 50}
		},
		"no such receiver": func(r *audit.Record) audit.Query { return audit.Query{Receiver: int64(r.Index) + 1} },
		"code":             func(r *audit.Record) audit.Query { return audit.Query{Code: r.Vouchers[0].Code} },
		"nothing":          func(*audit.Record) audit.Query { return audit.Query{Code: "none"} },
		"open":             func(*audit.Record) audit.Query { return audit.Query{Kind: audit.KindIntent} },
		"a page":           func(r *audit.Record) audit.Query { return audit.Query{Before: r.Index, Limit: 50} },
		"the last":         func(*audit.Record) audit.Query { return audit.Query{Limit: 50} },
	} {
		b.Run(name, func(b *testing.B) { audittest.BenchmarkSearch(b, s, uint64(n), query) })
	}
}

// searched opens a store of n records, and makes it if it is not there. Nothing is synced, and batches are large: that
// is many times as fast.
func searched(b *testing.B, path string, n int) *sqlite.Store {
	b.Helper()
	if _, err := os.Stat(path); err == nil {
		s := open(b, path)
		if head, err := s.Head(b.Context(), "gateway-1"); err != nil || head.Size != uint64(n) {
			b.Fatalf("%s has %d records, not %d: %v", path, head.Size, n, err)
		}
		return s
	} else if !errors.Is(err, fs.ErrNotExist) {
		b.Fatal(err)
	}
	s := open(b, path)
	if err := s.Exec("PRAGMA synchronous=OFF"); err != nil {
		b.Fatal(err)
	}
	trail, err := audit.Open(b.Context(), s, "gateway-1", audittest.Key(b, "gateway-1"), audit.Options{First: true, MaxBatch: 1024})
	if err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	appendAll(b, trail, exchanges(4096, 1), 2048, n)
	appended := time.Since(began)
	if err := trail.Close(); err != nil {
		b.Fatal(err)
	}
	s.Merge(b.Context())
	b.Logf("%d records: appended in %v, all merged %v later, %d bytes a record",
		n, appended.Round(time.Second), (time.Since(began) - appended).Round(time.Millisecond), diskSize(path)/int64(n))
	closeStore(b, s)
	return open(b, path)
}
