package trail_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// sharedOutage is an outage of a database that gateways share, at one of them. The DSN is
// the gateway's, direct the one by which the test reads the trail at the end.
func sharedOutage(t *testing.T, dsn, direct string, options ...string) *outage {
	t.Helper()
	upstream := caddytest.NewIssuing(t)
	return &outage{
		Process: startNode(t, dsn, "edge-1", caddytest.ProxyTo(upstream.URL), options...).Process, upstream: upstream,
		read: func() []*audit.Record { return readLogs(t, direct) },
	}
}

// TestPostgreSQLStopsAndStarts.
func TestPostgreSQLStopsAndStarts(t *testing.T) {
	t.Parallel()
	cluster := postgrestest.New(t, "")
	dsn := cluster.Database(t)
	o := sharedOutage(t, dsn, dsn)
	o.breaks, o.ends = func() { cluster.Kill(t) }, func() { cluster.Start(t) }
	o.between(t)
}

func TestPostgreSQLStopsAndForward(t *testing.T) {
	t.Parallel()
	cluster := postgrestest.New(t, "")
	dsn := cluster.Database(t)
	o := sharedOutage(t, dsn, dsn, caddytest.TrailOption+"on_failure forward")
	o.breaks, o.ends = func() { cluster.Stop(t) }, func() { cluster.Start(t) }
	o.goesOn(t)
}

// TestFailoverToAnotherServer: the address leads to a copy of the data, and a connection to
// the old server is of no use any more.
func TestFailoverToAnotherServer(t *testing.T) {
	t.Parallel()
	cluster := postgrestest.New(t, "")
	dsn := cluster.Database(t)
	name := caddytest.DatabaseIn(t, dsn)
	proxy := postgrestest.NewProxy(t, cluster.Address())
	o := sharedOutage(t, proxy.DSN(cluster, name), "")
	o.breaks = func() { cluster.Kill(t) }
	o.ends = func() {
		other := cluster.Copy(t)
		proxy.Lead(other.Address())
		o.read = func() []*audit.Record { return readLogs(t, other.DSN(name)) }
	}
	o.between(t)
}

// TestPostgreSQLSaysThatItsDiskIsFull, and the gateway says so too.
func TestPostgreSQLSaysThatItsDiskIsFull(t *testing.T) {
	t.Parallel()
	cluster := postgrestest.Shared(t)
	dsn := cluster.Database(t)
	o := sharedOutage(t, dsn, dsn)
	var end func()
	o.breaks, o.ends = func() { end = cluster.FillDisk(t, caddytest.DatabaseIn(t, dsn), "audit_segments", false) }, func() { end() }
	o.between(t)
	if log := o.Stderr.String(); !strings.Contains(log, "the server's disk is full") {
		t.Errorf("the log does not say what to do:\n%s", log)
	}
}

// TestStatementsTimeOut: somebody locks a table for longer than a statement may take.
func TestStatementsTimeOut(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Shared(t).Database(t)
	o := sharedOutage(t, dsn+"&statement_timeout=300", dsn)
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	run := func(sql string) func() {
		return func() {
			if _, err := conn.Exec(context.Background(), sql); err != nil {
				t.Errorf("%s: %v", sql, err)
			}
		}
	}
	o.breaks, o.ends = run("BEGIN; LOCK TABLE audit_checkpoints IN ACCESS EXCLUSIVE MODE"), run("ROLLBACK")
	o.between(t)
}

// TestConnectionsBreakAllTheTime, also between a commit and its answer: clients do not
// notice, or send the same again.
func TestConnectionsBreakAllTheTime(t *testing.T) {
	t.Parallel()
	cluster := postgrestest.Shared(t)
	dsn := cluster.Database(t)
	proxy := postgrestest.NewProxy(t, cluster.Address())
	name := caddytest.DatabaseIn(t, dsn)
	o := sharedOutage(t, proxy.DSN(cluster, name), dsn, "replay on", "recover within 10s")
	proxy.Break(17) // it takes some of these to connect
	const invoices = 40
	var numbers []int
	refused := map[string]int{}
	for number := 1; number <= invoices; number++ {
		numbers = append(numbers, number)
		caddytest.Within(t, time.Minute, "the invoice is issued", func() bool {
			got := o.Post("FECAESolicitar", caddytest.Invoice(number))
			if got.Status == http.StatusOK && string(got.Body) == caddytest.ApprovalOf(number) {
				return true
			}
			if got.Status != http.StatusServiceUnavailable {
				t.Errorf("invoice %d: %d %s", number, got.Status, got.Body)
			}
			refused[got.Codes(t)[0]]++
			return false
		})
		if n := o.upstream.TimesAsked(number); n != 1 {
			t.Errorf("invoice %d was sent %d times", number, n)
		}
	}
	proxy.Break(0)
	o.End()
	t.Logf("%d invoices, refused: %v", invoices, refused)
	wantApprovedOnce(t, o.records(), numbers...)
}

// wantApprovedOnce holds a trail in which requests were refused and sent again against what
// was issued.
func wantApprovedOnce(t *testing.T, records []*audit.Record, numbers ...int) {
	t.Helper()
	approved := map[int64]int{}
	for _, r := range records {
		if r.Kind != audit.KindIntent && r.Outcome == "approved" {
			approved[r.Vouchers[0].CbteDesde]++
		}
	}
	for _, number := range numbers {
		if n := approved[int64(number)]; n != 1 {
			t.Errorf("invoice %d was approved %d times, as the trail has it", number, n)
		}
	}
}
