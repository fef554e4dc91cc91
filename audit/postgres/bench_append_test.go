package postgres_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/postgres"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
	"github.com/fielato/fielato/internal/testrun"
)

// appendRounds is how often the numbers of nodes take turns, so that a machine whose disk or
// clock drifts is as good or as bad to all of them.
const appendRounds = 10

// BenchmarkAppend measures durable appends (fsync is on) of whole exchanges of one invoice:
// 64 writers for each node, one, two and three nodes at a time, each with a store and a log of
// its own on one database. of-one is the ratio to one node, of all nodes together.
//
//	go test ./audit/postgres -run '^$' -bench Append -benchtime 20000x
func BenchmarkAppend(b *testing.B) {
	dsn := postgrestest.New(b, "").Database(b)
	records := exchanges(4096)
	const most, writers = 3, 64
	var trails []*audit.Writer
	for n := range most {
		s := open(b, dsn, postgres.Options{})
		defer closeStore(b, s)
		log := fmt.Sprintf("edge-%d", n+1)
		if _, err := s.Claim(b.Context(), log, "benchmark"); err != nil {
			b.Fatal(err)
		}
		trail, err := audit.Open(b.Context(), s, log, audittest.Key(b, log), audit.Options{First: true})
		if err != nil {
			b.Fatal(err)
		}
		defer closeStore(b, trail)
		trails = append(trails, trail)
		appendAll(b, trail, records, writers, testrun.Scale(b, 50, 500)) // warm
	}
	each := b.N/appendRounds + most // one for each node at least
	var took [most]time.Duration
	b.ResetTimer()
	for range appendRounds {
		for nodes := range most {
			began := time.Now()
			var wg sync.WaitGroup
			for _, trail := range trails[:nodes+1] {
				wg.Go(func() { appendAll(b, trail, records, writers, each/(nodes+1)) })
			}
			wg.Wait()
			took[nodes] += time.Since(began)
		}
	}
	b.StopTimer()
	for nodes := range most {
		perSecond := float64(appendRounds*(each/(nodes+1))*(nodes+1)) / took[nodes].Seconds()
		b.ReportMetric(perSecond, fmt.Sprintf("records/s-%d", nodes+1))
		b.ReportMetric(float64(took[0])/float64(took[nodes]), fmt.Sprintf("of-one-%d", nodes+1))
	}
}
