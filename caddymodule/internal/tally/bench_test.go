package tally_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite"
	"github.com/fielato/fielato/caddymodule/internal/tally"
	"github.com/fielato/fielato/caddymodule/internal/tally/tallytest"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/wsfev1"
)

// BenchmarkDay measures the first reading of a day, and how it is brought forward by one invoice more.
// FIELATO_BENCH_RECORDS is the number of its records, half of them intents, 20,000 if it is not set.
func BenchmarkDay(b *testing.B) {
	n, _ := strconv.Atoi(os.Getenv("FIELATO_BENCH_RECORDS"))
	n = cmp.Or(n, testrun.Scale(b, 500, 20_000))
	store, w, add := fillDay(b, n/2)
	defer store.Close()
	defer w.Close()
	b.Run("first", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			d := tally.NewDay(day)
			if err := d.Follow(b.Context(), store, []string{"a"}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "records/s")
	})
	b.Run("read", func(b *testing.B) { // without counting anything
		for b.Loop() {
			read := 0
			err := tally.Read(b.Context(), store, []string{"a"}, audit.Query{}, func(*audit.Record) error { read++; return nil })
			if err != nil || read < n/2 {
				b.Fatal(err, read)
			}
		}
		b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "records/s")
	})
	followed := tally.NewDay(day)
	if err := followed.Follow(b.Context(), store, []string{"a"}); err != nil {
		b.Fatal(err)
	}
	b.Run("refresh", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			b.StopTimer()
			add()
			b.StartTimer()
			if err := followed.Follow(b.Context(), store, []string{"a"}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("view", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if v := tally.ViewOf([]*tally.Day{followed}, everybody); v.Total < n/2 {
				b.Fatal(v.Total)
			}
		}
	})
}

// fillDay writes n invoices of a thousand issuers, and returns what writes one more.
func fillDay(b *testing.B, n int) (*sqlite.Store, *audit.Writer, func()) {
	b.Helper()
	store, err := sqlite.Open(filepath.Join(b.TempDir(), "audit.db"))
	if err != nil {
		b.Fatal(err)
	}
	w, err := audit.Open(b.Context(), store, "a", audittest.Key(b, "a"), audit.Options{First: true})
	if err != nil {
		b.Fatal(err)
	}
	var next atomic.Int64
	body := []byte(`{"FeCAEReq":{"FeCabReq":{"CantReg":1,"CbteTipo":6,"PtoVta":1},"FeDetReq":{"FECAEDetRequest":[{"Concepto":1,"ImpTotal":121.00}]}}}`)
	add := func() {
		i := next.Add(1)
		number := i/1000 + 1
		r := audit.Record{
			Kind: audit.KindIntent, ID: fmt.Sprint("x", i), Time: day.Add(time.Duration(i) * (24 * time.Hour / time.Duration(n+100_000))), Operation: "FECAESolicitar",
			Cuit: 20000000000 + wsfev1.CUIT(i%1000), PtoVta: 1, CbteTipo: 6, Decision: "forward", Certainty: audit.Unknown, Environment: audit.EnvironmentProduction,
			Vouchers: []audit.Voucher{{CbteDesde: number, CbteHasta: number}}, Request: body,
		}
		intent, err := w.Append(b.Context(), &r)
		if err != nil {
			b.Error(err)
			return
		}
		r.Kind, r.Intent, r.Request, r.Certainty, r.Answer = audit.KindOutcome, intent, nil, audit.Answered, body
		tallytest.Approve(&r, "approved")
		if _, err := w.Append(b.Context(), &r); err != nil {
			b.Error(err)
		}
	}
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			for next.Load() < int64(n) {
				add()
			}
		})
	}
	all.Wait()
	return store, w, add
}
