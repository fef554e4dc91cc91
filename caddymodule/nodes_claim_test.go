package caddymodule_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// held is what the database says of who writes a log and who issues in series.
type held struct {
	fence, since, generations, series int64
	expired                           bool
}

func heldIn(t *testing.T, dsn, log string) (h held) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	err = conn.QueryRow(t.Context(), `SELECT fence, since, expires <= (extract(epoch FROM now()) * 1000000)::INT8,
		(SELECT coalesce(sum(generation), 0)::INT8 FROM audit_series), (SELECT count(*) FROM audit_series WHERE held)
		FROM audit_leases WHERE name = $1`, "write "+log).Scan(&h.fence, &h.since, &h.expired, &h.generations, &h.series)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestTwoGatewaysOfOneNameDoNotRun: the second refuses to start and says what to do.
func TestTwoGatewaysOfOneNameDoNotRun(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Shared(t).Database(t)
	upstream := newIssuing(t)
	first := startNode(t, dsn, "edge-1", proxyTo(upstream.URL))
	second := prepareNode(t, dsn, "edge-1", proxyTo(upstream.URL))
	if _, err := second.ready(); err == nil {
		t.Error("it runs")
	}
	second.end()
	log := second.stderr.String()
	for _, want := range []string{`log \"edge-1\" is written by process `, "give this gateway another node name, or stop the other one"} {
		if !strings.Contains(log, want) && !strings.Contains(strings.ReplaceAll(log, `"`, `\"`), want) {
			t.Errorf("it does not say %q:\n%s", want, log)
		}
	}
	wantCode(t, first.post("FECAESolicitar", invoice(1)), 1)
	first.end()
	wantApprovedOnce(t, readLogs(t, dsn), 1)
}

// TestAKilledGatewayGoesOnWithItsLog, once the claim of the dead has ended.
func TestAKilledGatewayGoesOnWithItsLog(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Shared(t).Database(t)
	upstream := newIssuing(t)
	n := startNode(t, dsn, "edge-1", proxyTo(upstream.URL))
	wantCode(t, n.post("FECAESolicitar", invoice(1)), 1)
	n.kill()
	n.again("edge-1")
	n.await()
	within(t, time.Minute, "the series is free", func() bool { return n.post("FECAESolicitar", invoice(2)).status == http.StatusOK })
	n.end()
	wantEachOnce(t, readLogs(t, dsn), 1, 2) // in one log, or two intents had one index
	if n := upstream.timesAsked(2); n != 1 {
		t.Errorf("it was sent %d times", n)
	}
}

// TestAStopGivesClaimAndSeriesBack: neither a restart nor another gateway waits.
func TestAStopGivesClaimAndSeriesBack(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Shared(t).Database(t)
	upstream := newIssuing(t)
	n := startNode(t, dsn, "edge-1", proxyTo(upstream.URL))
	wantCode(t, n.post("FECAESolicitar", invoice(1)), 1)
	n.end()
	if h := heldIn(t, dsn, "edge-1"); !h.expired || h.series != 0 {
		t.Errorf("after the stop: %+v", h)
	}
	other := startNode(t, dsn, "edge-2", proxyTo(upstream.URL))
	wantCode(t, other.post("FECAESolicitar", invoice(2)), 2)
	other.end()
	n.again("edge-1")
	n.await()
	wantCode(t, n.post("FECAESolicitar", invoice(3)), 3)
	n.end()
	if log := n.stderr.String(); strings.Contains(log, "waiting for the claim") {
		t.Errorf("the restart has waited:\n%s", log)
	}
	wantApprovedOnce(t, readLogs(t, dsn), 1, 2, 3)
}

// TestAReloadKeepsClaimAndSeries.
func TestAReloadKeepsClaimAndSeries(t *testing.T) {
	dsn := postgrestest.Shared(t).Database(t)
	t.Setenv(dsnVariable, dsn)
	upstream := newIssuing(t)
	s := start(t, "respond 503")
	next := proxyTo(upstream.URL)
	s.load(s.config(sharedAudit("edge-1"), next))
	wantCode(t, s.post("FECAESolicitar", invoice(1)), 1)
	before := heldIn(t, dsn, "edge-1")
	s.load(s.config(sharedAudit("edge-1", "max_body 1MiB"), next))
	wantCode(t, s.post("FECAESolicitar", invoice(2)), 2)
	if after := heldIn(t, dsn, "edge-1"); after != before || after.expired || after.series != 1 {
		t.Errorf("%+v before the reload, %+v after it", before, after)
	}
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	wantEachOnce(t, readLogs(t, dsn), 1, 2)
}
