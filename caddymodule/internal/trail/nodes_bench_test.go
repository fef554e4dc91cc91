package trail_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
	"github.com/fielato/fielato/internal/testrun"
)

// inFull is everything that makes sure of exactly once, as it is by default.
var inFull = []string{"recover within 20s", "replay on"}

// benchSeries is the number of series, each of which has one client that waits for its answer.
const benchSeries = 64

// BenchmarkShared measures invoices per second on 64 series, each of which has one client
// that waits for its answer; gateways, service and database are processes of their own, and
// both databases sync to the disk. In one run it compares a gateway with its trail in SQLite,
// one with it in PostgreSQL, and three that share that; at last the clients of three take any
// of them for each invoice, so that the series go from one to another all the time.
//
//	go test ./caddymodule/internal/trail -run '^$' -bench Shared -benchtime 5000x
func BenchmarkShared(b *testing.B) {
	caddytest.Silence(b)
	upstream := caddytest.ProxyTo(caddytest.StartBenchStub(b))
	for _, form := range []struct {
		name          string
		nodes         int
		shared, roams bool
	}{
		{"sqlite/gateways=1", 1, false, false},
		{"postgres/gateways=1", 1, true, false},
		{"postgres/gateways=3", sharingNodes, true, false},
		{"postgres/gateways=3/any", sharingNodes, true, true},
	} {
		b.Run(form.name, func(b *testing.B) {
			var urls []string
			dsn := ""
			if form.shared {
				dsn = postgrestest.New(b, "").Database(b)
				for i := range form.nodes {
					urls = append(urls, startNode(b, dsn, fmt.Sprintf("bench-%d", i+1), upstream, inFull...).URL)
				}
			} else {
				urls = []string{caddytest.StartProcess(b, upstream, inFull...).URL}
			}
			tables, wal, commits := databaseBytes(b, dsn)
			b.ResetTimer()
			repeated := issueOnSeries(b, urls, form.roams)
			b.StopTimer()
			if form.shared {
				tablesAfter, walAfter, commitsAfter := databaseBytes(b, dsn)
				b.ReportMetric(2*float64(max(b.N, benchSeries))/(commitsAfter-commits), "records/commit")
				b.ReportMetric((tablesAfter-tables)/float64(b.N), "table-B/op")
				b.ReportMetric((walAfter-wal)/float64(b.N), "wal-B/op")
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(repeated)/float64(b.N), "repeated/op")
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "invoices/s")
		})
	}
}

// databaseBytes returns the size of a database's files and of all that was ever written to its
// server's write-ahead log, and the number of commits to its logs; 0 for no database.
func databaseBytes(b *testing.B, dsn string) (tables, wal, commits float64) {
	b.Helper()
	if dsn == "" {
		return 0, 0, 0
	}
	conn, err := pgx.Connect(b.Context(), dsn)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = conn.Close(b.Context()) }()
	const query = `SELECT pg_database_size(current_database())::float8, (pg_current_wal_lsn() - '0/0'::pg_lsn)::float8,
		(SELECT count(*) FROM audit_checkpoints)::float8`
	if err := conn.QueryRow(b.Context(), query).Scan(&tables, &wal, &commits); err != nil {
		b.Fatal(err)
	}
	return tables, wal, commits
}

// issueOnSeries issues b.N invoices on 64 series, one in each at least, and returns how often a client had to send
// one again, as the series did not come to the gateway in time (503).
func issueOnSeries(b *testing.B, urls []string, roams bool) int64 {
	transport := &http.Transport{MaxIdleConnsPerHost: benchSeries}
	defer transport.CloseIdleConnections()
	var left, repeated atomic.Int64
	left.Store(int64(max(b.N, benchSeries)))
	var group sync.WaitGroup
	for lane := range benchSeries {
		random := rand.New(rand.NewPCG(caddytest.OnceSeed, uint64(lane)))
		group.Go(func() {
			for number := int64(1); left.Add(-1) >= 0; number++ {
				url := urls[lane%len(urls)]
				if roams {
					url = urls[random.IntN(len(urls))]
				}
				err := caddytest.IssueOver(transport, url, caddytest.LotText(lane, number, 1))
				for ; err != nil && strings.HasSuffix(err.Error(), "busy"); repeated.Add(1) {
					err = caddytest.IssueOver(transport, url, caddytest.LotText(lane, number, 1))
				}
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	return repeated.Load()
}

// BenchmarkFailover measures how long a series stands still whose gateway is killed: until
// another one has issued the next invoice in it. Either nothing was open, or the service had
// issued an invoice and the gateway died before it got the answer.
//
//	go test ./caddymodule/internal/trail -run '^$' -bench Failover -benchtime 3x
func BenchmarkFailover(b *testing.B) {
	caddytest.Silence(b)
	forms := []struct {
		name string
		open bool
	}{{"an intent open", true}, {"nothing open", false}}
	for _, form := range forms[:testrun.Scale(b, 1, len(forms))] { // each waits for a lease to expire
		b.Run(form.name, func(b *testing.B) {
			dsn := postgrestest.New(b, "").Database(b)
			service := newLateService(b)
			heir := startNode(b, dsn, "heir", caddytest.ProxyTo(service.URL), inFull...)
			number := int64(0)
			var stood, longest time.Duration
			for i := range b.N {
				dying := startNode(b, dsn, fmt.Sprintf("dying-%d", i+1), caddytest.ProxyTo(service.URL), inFull...)
				number++
				issueUntil(b, dying, number)
				if form.open {
					number++
					service.late.Store(true)
					body := caddytest.LotText(0, number, 1)
					go func() { _ = caddytest.IssueOver(http.DefaultTransport, dying.URL, body) }() // it fails
					<-service.issued
				}
				began := time.Now()
				dying.Kill()
				number++
				issueUntil(b, heir, number)
				took := time.Since(began)
				stood, longest = stood+took, max(longest, took)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(stood.Seconds()/float64(b.N), "s/failover")
			b.ReportMetric(longest.Seconds(), "s-longest")
		})
	}
}

// issueUntil sends an invoice until it is issued, as a client does that gets a 503.
func issueUntil(b *testing.B, n *node, number int64) {
	b.Helper()
	var err error
	for began := time.Now(); time.Since(began) < time.Minute; {
		if err = caddytest.IssueOver(http.DefaultTransport, n.URL, caddytest.LotText(0, number, 1)); err == nil {
			return
		}
	}
	b.Fatal(err)
}

// lateService is a built-in service that may keep an answer back.
type lateService struct {
	*caddytest.Stub
	// late makes it keep the next answer to what it has issued, until the client is gone;
	// issued: it has.
	late   atomic.Bool
	issued chan struct{}
}

func newLateService(b *testing.B) *lateService {
	b.Helper()
	address := caddytest.FreeAddress(b)
	process := caddytest.StartService(b, caddytest.ServiceConfig(address, filepath.Join(b.TempDir(), "ledger.db")))
	if _, err := process.Ready(); err != nil {
		b.Fatal(err)
	}
	s := &lateService{issued: make(chan struct{}, 1)}
	s.Stub = caddytest.NewStub(b, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		resp, err := caddytest.Client.Post("http://"+address+r.URL.Path, "application/json", bytes.NewReader(body))
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		defer resp.Body.Close()
		answer, _ := io.ReadAll(resp.Body)
		if strings.HasSuffix(r.URL.Path, "/FECAESolicitar") && s.late.CompareAndSwap(true, false) {
			s.issued <- struct{}{}
			<-r.Context().Done()
			return
		}
		caddytest.Answering(resp.StatusCode, string(answer))(w, r)
	})
	return s
}
