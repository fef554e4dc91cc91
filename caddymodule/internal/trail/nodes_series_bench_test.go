package trail_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
	"github.com/fielato/fielato/internal/testrun"
)

// BenchmarkOneSeries measures invoices per second in one series, whose one client takes another of three
// gateways for each invoice, and how long the slowest hundredth takes.
//
//	go test ./caddymodule/internal/trail -run '^$' -bench OneSeries -benchtime 3000x
func BenchmarkOneSeries(b *testing.B) {
	caddytest.Silence(b)
	upstream := caddytest.ProxyTo(caddytest.StartBenchStub(b))
	for _, nodes := range []int{1, sharingNodes} {
		b.Run(fmt.Sprintf("gateways=%d", nodes), func(b *testing.B) {
			dsn := postgrestest.New(b, "").Database(b)
			var urls []string
			for i := range nodes {
				urls = append(urls, startNode(b, dsn, fmt.Sprintf("bench-%d", i+1), upstream, inFull...).URL)
			}
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			took := make([]time.Duration, b.N)
			b.ResetTimer()
			for i := range took {
				began := time.Now()
				if err := caddytest.IssueOver(transport, urls[i%nodes], caddytest.LotText(0, int64(i+1), 1)); err != nil {
					b.Fatal(err)
				}
				took[i] = time.Since(began)
			}
			b.StopTimer()
			slices.Sort(took)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "invoices/s")
			b.ReportMetric(took[len(took)/2].Seconds()*1000, "ms-p50")
			b.ReportMetric(took[len(took)*99/100].Seconds()*1000, "ms-p99")
		})
	}
}

// BenchmarkBarePostgreSQL measures invoices per second on 64 series through one gateway, and then what pgbench
// makes of transactions like the gateway's: as many records in each, of their size, and the same rows of series.
// What lies between the two is the gateway, its service and its clients.
//
//	go test ./caddymodule/internal/trail -run '^$' -bench BarePostgreSQL -benchtime 6000x
func BenchmarkBarePostgreSQL(b *testing.B) {
	caddytest.Silence(b)
	cluster := postgrestest.New(b, "")
	dsn := cluster.Database(b)
	gateway := startNode(b, dsn, "bench-1", caddytest.ProxyTo(caddytest.StartBenchStub(b)), inFull...)
	b.ResetTimer()
	issueOnSeries(b, []string{gateway.URL}, false)
	b.StopTimer()
	through := float64(b.N) / b.Elapsed().Seconds()
	gateway.End()
	bare := pgbench(b, cluster, dsn)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(through, "invoices/s")
	b.ReportMetric(bare, "bare-invoices/s")
	b.ReportMetric(through/bare, "gateway/bare")
}

// transactions are a gateway's, for pgbench. %[1]d is half of the records in each, %[2]d the size of their row.
const transactions = `
\set first random(1, 64 - %[1]d)
\set second random(1, 64 - %[1]d)
BEGIN;
SELECT holder, owner, fence, since, expires, (extract(epoch FROM now()) * 1000000)::INT8 FROM audit_leases WHERE name = 'write bench-1' FOR UPDATE;
SELECT note FROM audit_checkpoints WHERE log = 'bench-1' AND number = 1;
UPDATE bare_series SET held = FALSE, last = last + 1, generation = generation + 1, expires = now() WHERE n >= :first AND n < :first + %[1]d;
UPDATE bare_series SET held = TRUE, holder = 'bench-1', generation = generation + 1, expires = now() WHERE n >= :second AND n < :second + %[1]d;
INSERT INTO audit_segments (log, first, purged, key, keys, leaves, summaries, content) SELECT 'bare', nextval('bare_number'), 0, NULL, bytes, '', '', '' FROM bare_bytes;
INSERT INTO audit_checkpoints (log, number, note) SELECT 'bare', currval('bare_number'), note FROM bare_bytes;
COMMIT;
`

// pgbench returns how many invoices a second the bare server takes.
func pgbench(b *testing.B, cluster *postgrestest.Cluster, dsn string) float64 {
	b.Helper()
	conn, err := pgx.Connect(b.Context(), dsn)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = conn.Close(b.Context()) }()
	var commits, size float64
	err = conn.QueryRow(b.Context(), `SELECT (SELECT count(*) FROM audit_checkpoints)::float8,
		(SELECT avg(length(keys) + length(leaves) + length(summaries) + length(content)) FROM audit_segments)::float8`).Scan(&commits, &size)
	if err != nil {
		b.Fatal(err)
	}
	half := max(1, int(float64(max(b.N, benchSeries))/commits))
	script := filepath.Join(b.TempDir(), "transactions.sql")
	if err := os.WriteFile(script, fmt.Appendf(nil, transactions, half), 0o600); err != nil {
		b.Fatal(err)
	}
	if _, err := conn.Exec(b.Context(), fmt.Sprintf(`CREATE SEQUENCE bare_number;
		CREATE TABLE bare_bytes AS SELECT string_agg(sha256(i::TEXT::BYTEA), '') AS bytes, decode(repeat('00', 220), 'hex') AS note FROM generate_series(1, %d) AS i;
		CREATE TABLE bare_series AS SELECT row_number() OVER () AS n, * FROM audit_series;
		ALTER TABLE bare_series ADD PRIMARY KEY (n); ANALYZE bare_series`, int(size)/32+1)); err != nil {
		b.Fatal(err)
	}
	seconds := testrun.Scale(b, 1, 5)
	told := cluster.Run(b, "pgbench", "--no-vacuum", "--protocol=prepared", "--client=1", "--time="+strconv.Itoa(seconds), "--file="+script, dsn)
	found := regexp.MustCompile(`tps = ([0-9.]+)`).FindStringSubmatch(told)
	if found == nil {
		b.Fatal(told)
	}
	rate, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		b.Fatal(err)
	}
	return rate * float64(half)
}
