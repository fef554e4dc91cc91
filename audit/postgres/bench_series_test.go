package postgres_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/postgres"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// BenchmarkSeries measures what leases cost a commit (fsync is on): 64 writers append pairs of records, once as
// they are and once with the lease of a series of their own, which the first of a pair takes and the second returns.
//
//	go test ./audit/postgres -run '^$' -bench Series -benchtime 20000x
func BenchmarkSeries(b *testing.B) {
	s := open(b, postgrestest.New(b, "").Database(b), postgres.Options{})
	defer closeStore(b, s)
	trail, err := audit.Open(b.Context(), s, "edge-1", audittest.Key(b, "edge-1"), audit.Options{First: true})
	if err != nil {
		b.Fatal(err)
	}
	defer closeStore(b, trail)
	const writers = 64
	records := exchanges(4096)
	var turns [writers]uint64
	name := func(writer int) string { return fmt.Sprintf("/20111111112/%d/6/", writer+1) }
	holder := func(writer int) audit.Holder {
		return audit.Holder{Process: "edge-1 JBSWY3DPEHPK3PXPJBSWY3DPEH", Turn: turns[writer]}
	}
	for writer := range writers {
		lease, err := s.TakeLease(b.Context(), name(writer), holder(writer), time.Minute)
		if err != nil || !lease.Held {
			b.Fatal(err)
		}
		if err := s.ReturnLeases(b.Context(), []audit.LeaseChange{{Name: name(writer), Holder: holder(writer), Settled: true}}); err != nil {
			b.Fatal(err)
		}
	}
	pairs := func(leased bool, each int) {
		var running sync.WaitGroup
		for writer := range writers {
			running.Go(func() {
				for i := range each {
					var take, giveBack *audit.LeaseChange
					if leased {
						last := int64(turns[writer])
						turns[writer]++
						take = &audit.LeaseChange{Name: name(writer), Holder: holder(writer), Take: true, TTL: time.Minute, After: last}
						giveBack = &audit.LeaseChange{Name: name(writer), Holder: holder(writer), Settled: true, Last: last + 1}
					}
					for _, lease := range []*audit.LeaseChange{take, giveBack} {
						record := records[(i*writers+writer)%len(records)]
						if _, err := trail.AppendWith(context.Background(), &record, lease); err != nil {
							b.Error(err)
							return
						}
					}
				}
			})
		}
		running.Wait()
	}
	var took [2]time.Duration
	each := b.N/appendRounds/writers + 1
	pairs(true, each)
	b.ResetTimer()
	for range appendRounds {
		for i, leased := range []bool{false, true} {
			began := time.Now()
			pairs(leased, each)
			took[i] += time.Since(began)
		}
	}
	b.StopTimer()
	count := float64(appendRounds * each * writers)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(count/took[0].Seconds(), "pairs/s")
	b.ReportMetric(count/took[1].Seconds(), "leased-pairs/s")
	b.ReportMetric(float64(took[0])/float64(took[1]), "leased/plain")
}
