package gateway_test

import (
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// BenchmarkRecovery measures how long a client waits whose answer was lost although the
// invoice was issued (a drop with commit), with the default recover within 20s.
//
//	go test ./caddymodule/gateway -run '^$' -bench Recovery -benchtime 300x
func BenchmarkRecovery(b *testing.B) {
	caddytest.Silence(b)
	s := caddytest.StartProxied(b, caddytest.WithFaults(b, "fault drop {\n operation FECAESolicitar\n}"), "recover within 20s", "replay on")
	took := make([]time.Duration, 0, b.N)
	b.ResetTimer()
	for i := range b.N {
		began := time.Now()
		got := s.Post("FECAESolicitar", caddytest.Invoice(i+1))
		took = append(took, time.Since(began))
		if got.Header.Get("Wsfev1-Outcome") != "recovered" {
			b.Fatalf("got %d %s", got.Status, got.Body)
		}
	}
	slices.Sort(took)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}

// BenchmarkIssue measures invoices per second through a gateway with everything on and the
// built-in service, client and all in one process, on one series and on 64: each has one
// client, which waits for its answer.
//
//	go test ./caddymodule/gateway -run '^$' -bench Issue -benchtime 5000x
func BenchmarkIssue(b *testing.B) {
	for _, series := range []int{1, 64} {
		b.Run(strconv.Itoa(series), func(b *testing.B) {
			caddytest.Silence(b)
			s := caddytest.Start(b, "wsfev1_backend {\n ledger sqlite "+filepath.Join(b.TempDir(), "ledger.db")+"\n}", "recover within 20s", "replay on")
			transport := &http.Transport{MaxIdleConnsPerHost: series}
			defer transport.CloseIdleConnections()
			var left atomic.Int64
			left.Store(int64(b.N))
			var group sync.WaitGroup
			b.ResetTimer()
			for lane := range series {
				group.Go(func() {
					for number := int64(1); left.Add(-1) >= 0; number++ {
						if err := caddytest.IssueOver(transport, s.URL, caddytest.LotText(lane, number, 1)); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			group.Wait()
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "invoices/s")
		})
	}
}
