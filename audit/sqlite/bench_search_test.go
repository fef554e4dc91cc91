//go:build unix

package sqlite_test

import (
	"cmp"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/testrun"
)

// BenchmarkSearch measures searches among FIELATO_BENCH_RECORDS, 20,000 if it is not set,
// by FIELATO_BENCH_WRITERS at a time, 256 if it is not set: with one each record has a row
// of its own. 1,000,000 take minutes to write, and 800 MB. Each search is for another
// exchange, anywhere in the log.
func BenchmarkSearch(b *testing.B) {
	n, err := strconv.Atoi(cmp.Or(os.Getenv("FIELATO_BENCH_RECORDS"), strconv.Itoa(testrun.Scale(b, 500, 20_000))))
	if err != nil {
		b.Fatal(err)
	}
	writers, err := strconv.Atoi(cmp.Or(os.Getenv("FIELATO_BENCH_WRITERS"), "256"))
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "evidence.db")
	s := open(b, path)
	trail, err := audit.Open(b.Context(), s, "gateway-1", audittest.Key(b, "gateway-1"), audit.Options{First: true})
	if err != nil {
		b.Fatal(err)
	}
	appendAll(b, trail, exchanges(4096, 1), writers, n)
	if err := trail.Close(); err != nil {
		b.Fatal(err)
	}
	defer closeStore(b, s)
	invoice := func(r *audit.Record) audit.Query {
		return audit.Query{Cuit: r.Cuit, PtoVta: r.PtoVta, CbteTipo: r.CbteTipo, Number: r.Vouchers[0].CbteDesde}
	}
	for name, query := range map[string]func(*audit.Record) audit.Query{
		"invoice":  invoice,
		"code":     func(r *audit.Record) audit.Query { return audit.Query{Code: r.Vouchers[0].Code} },
		"nothing":  func(*audit.Record) audit.Query { return audit.Query{Code: "none"} },
		"open":     func(*audit.Record) audit.Query { return audit.Query{Kind: audit.KindIntent} },
		"a page":   func(r *audit.Record) audit.Query { return audit.Query{Before: r.Index, Limit: 50} },
		"the last": func(*audit.Record) audit.Query { return audit.Query{Limit: 50} },
	} {
		b.Run(name, func(b *testing.B) { audittest.BenchmarkSearch(b, s, uint64(n), query) })
	}
}
