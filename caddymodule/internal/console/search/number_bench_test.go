package search

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/wsfev1"
)

// issuers is how many have invoices in the trail of the benchmark.
const issuers = 10_000

// issuer returns one of them.
func issuer(i int) wsfev1.CUIT {
	cuit := wsfev1.CUIT(20100000000 + 10*i)
	for !cuit.Valid() {
		if cuit++; cuit%10 == 0 {
			cuit += 1_000_000 // no check digit fits the others
		}
	}
	return cuit
}

// BenchmarkInvoiceOfAnUnnamedIssuer measures the whole page of a search by point of sale and number among
// FIELATO_BENCH_RECORDS, 20,000 if it is not set, of 10,000 issuers: each has numbers from 1 on, and class B or C.
// FIELATO_BENCH_STORE is a path at which the store is kept for the next time.
func BenchmarkInvoiceOfAnUnnamedIssuer(b *testing.B) {
	n, err := strconv.Atoi(cmp.Or(os.Getenv("FIELATO_BENCH_RECORDS"), strconv.Itoa(testrun.Scale(b, 2_000, 20_000))))
	if err != nil {
		b.Fatal(err)
	}
	store := numbered(b, cmp.Or(os.Getenv("FIELATO_BENCH_STORE"), filepath.Join(b.TempDir(), "evidence.db")), n)
	var own []string
	for i := range 99 {
		own = append(own, issuer(1000+7*i).String())
	}
	last, middle := (n-1)/issuers+1, (n-1)/issuers/2+1
	for _, reader := range []struct {
		name  string
		bound bool
		more  []string
	}{{"all", false, nil}, {"of one issuer", true, nil}, {"of a hundred", true, own}} {
		m := newWorld(store)
		if reader.bound {
			m.ReaderScope = readerOf(b, false, append([]string{issuer(3).String()}, reader.more...)...)
		}
		for _, search := range []struct{ name, text string }{
			{"of all", ""},
			{"newest", fmt.Sprintf("1-%d", last)},
			{"in the middle", fmt.Sprintf("1-%d", middle)},
			{"of a class", fmt.Sprintf("C+1-%d", middle)},
			{"of a class that nobody has", fmt.Sprintf("A+1-%d", middle)},
			{"of a type that nobody has", fmt.Sprintf("cbte-tipo=1&pto-vta=1&nro=%d", middle)},
			{"no such number", "1-77777777"},
			{"no such point", "9-1"},
		} {
			path := "/search?q=" + search.text
			if strings.HasPrefix(search.text, "cbte-tipo=") {
				path = "/search?" + search.text
			}
			b.Run(reader.name+"/"+search.name, func(b *testing.B) {
				rows, began := 0, testrun.ProcessorTime()
				for b.Loop() {
					answered := m.get(path)
					if answered.Code != http.StatusOK {
						b.Fatal(answered.Code)
					}
					rows = strings.Count(answered.Body.String(), "<tr data-record")
					if linkOf(answered.Body.String(), "next") != "" && rows < m.pageRows {
						b.Fatal("the search was not finished")
					}
				}
				b.ReportMetric(float64(rows), "rows")
				b.ReportMetric(ms(testrun.ProcessorTime()-began)/float64(b.N), "cpu-ms/op")
			})
		}
	}
}

// numbered opens a store of n invoices, and makes it if it is not there.
func numbered(b *testing.B, path string, n int) audit.Store {
	b.Helper()
	store, err := sqlite.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := store.Close(); err != nil {
			b.Error(err)
		}
	})
	head, err := store.Head(b.Context(), "gateway-1")
	if err != nil || head.Size >= uint64(n) {
		return store
	}
	trail, err := audit.Open(b.Context(), store, "gateway-1", audittest.Key(b, "gateway-1"), audit.Options{First: true, MaxBatch: 1024})
	if err != nil {
		b.Fatal(err)
	}
	all := make([]wsfev1.CUIT, issuers)
	for i := range all {
		all[i] = issuer(i)
	}
	appended := make(chan error)
	const writers = 256
	for w := range writers {
		go func() {
			var err error
			for i := w; i < n && err == nil; i += writers {
				at := i * 654_321 % n // their invoices come in no order
				_, err = trail.Append(b.Context(), invoice(all[at%issuers], []int32{6, 11}[at%2], int64(at/issuers+1), i/10))
			}
			appended <- err
		}()
	}
	for range writers {
		if err := <-appended; err != nil {
			b.Fatal(err)
		}
	}
	if err := trail.Close(); err != nil {
		b.Fatal(err)
	}
	return store
}
