package trail_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// BenchmarkBesideWitnesses issues invoices one after the other while nobody signs the checkpoints, while two witnesses
// do at their usual interval and each second, and while nobody does again: what differs between the first and the last
// is noise. The witnesses share process, cores and disk. No exchange waits for a witness.
//
//	go test -run '^$' -bench BesideWitnesses -benchtime 5000x -count 3 ./caddymodule/internal/trail
func BenchmarkBesideWitnesses(b *testing.B) {
	caddytest.Silence(b)
	for _, test := range []struct {
		name, interval string
		witnesses      int
	}{{"alone", "", 0}, {"usual", "", 2}, {"each second", " 1s", 2}, {"alone again", "", 0}} {
		b.Run(test.name, func(b *testing.B) {
			s := caddytest.Start(b, caddytest.ProxyTo(caddytest.StartBenchStub(b)))
			key, err := audit.ParseKey(contentOf(b, s.Store+".key"))
			if err != nil {
				b.Fatal(err)
			}
			var options []string
			for _, name := range []string{"a.example", "b.example"}[:test.witnesses] {
				w := caddytest.NewWitness(b, name)
				w.Start(key.Verifier())
				options = append(options, w.Option(test.interval))
			}
			s.Load(s.Config(s.WithAudit(options...), caddytest.ProxyTo(caddytest.StartBenchStub(b))))
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			took := make([]time.Duration, b.N)
			b.ResetTimer()
			for i := range took {
				began := time.Now()
				if err := caddytest.IssueOver(transport, s.URL, caddytest.LotText(0, int64(i+1), 1)); err != nil {
					b.Fatal(err)
				}
				took[i] = time.Since(began)
			}
			b.StopTimer()
			slices.Sort(took)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(took[len(took)/2].Seconds()*1000, "ms-p50")
			b.ReportMetric(took[len(took)*99/100].Seconds()*1000, "ms-p99")
		})
	}
}
