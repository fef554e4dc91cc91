package postgres_test

import (
	"cmp"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/postgres"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
	"github.com/fielato/fielato/internal/testrun"
)

// BenchmarkSearch measures searches among FIELATO_BENCH_RECORDS, 20,000 if it is not set, that
// 256 writers have appended. 1,000,000 take minutes to write. Each search is for another
// exchange, anywhere in the log.
func BenchmarkSearch(b *testing.B) {
	n, err := strconv.Atoi(cmp.Or(os.Getenv("FIELATO_BENCH_RECORDS"), strconv.Itoa(testrun.Scale(b, 500, 20_000))))
	if err != nil {
		b.Fatal(err)
	}
	s := open(b, postgrestest.Shared(b).Database(b), postgres.Options{})
	defer closeStore(b, s)
	trail, err := audit.Open(b.Context(), s, "gateway-1", audittest.Key(b, "gateway-1"), audit.Options{First: true})
	if err != nil {
		b.Fatal(err)
	}
	appendAll(b, trail, exchanges(4096), 256, n)
	if err := trail.Close(); err != nil {
		b.Fatal(err)
	}
	s.Merge(b.Context(), "gateway-1")
	for name, query := range map[string]func(*audit.Record) audit.Query{
		"invoice": func(r *audit.Record) audit.Query {
			return audit.Query{Cuit: r.Cuit, PtoVta: r.PtoVta, CbteTipo: r.CbteTipo, Number: r.Vouchers[0].CbteDesde}
		},
		"number": func(r *audit.Record) audit.Query {
			return audit.Query{PtoVta: r.PtoVta, CbteTipo: r.CbteTipo, Number: r.Vouchers[0].CbteDesde}
		},
		"new series": func(r *audit.Record) audit.Query { // as a new series is recalled
			return audit.Query{Cuit: r.Cuit, PtoVta: 9, CbteTipo: r.CbteTipo, Operation: r.Operation, NoExchanges: true, Limit: 2000}
		},
		"code":   func(r *audit.Record) audit.Query { return audit.Query{Code: r.Vouchers[0].Code} },
		"open":   func(*audit.Record) audit.Query { return audit.Query{Kind: audit.KindIntent} },
		"a page": func(r *audit.Record) audit.Query { return audit.Query{Before: r.Index, Limit: 50} },
	} {
		b.Run(name, func(b *testing.B) { audittest.BenchmarkSearch(b, s, uint64(n), query) })
	}
}

// exchanges are answered requests for one invoice each, of the usual size.
func exchanges(n int) []audit.Record {
	source := audittest.NewSource(1)
	all := make([]audit.Record, n)
	for i := range all {
		r := source.Issue(1)
		source.Answer(r)
		all[i] = *r
	}
	return all
}

// appendAll appends n records, each with a number and a code of its own.
func appendAll(b *testing.B, trail *audit.Writer, records []audit.Record, writers, n int) {
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
				code := strconv.FormatUint(86010000000000+uint64(i)*0x9e3779b97f4a7c15%1e10, 10)
				r.Vouchers = []audit.Voucher{{CbteDesde: int64(i), CbteHasta: int64(i), Code: code, Resultado: "A"}}
				if _, err := trail.Append(b.Context(), &r); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}
