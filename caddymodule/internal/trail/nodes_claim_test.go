package trail_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// held is the state of a log's write lease and of the series in the database.
type held struct {
	fence, since, series int64
	expired              bool
}

func heldIn(t *testing.T, dsn, log string) (h held) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	err = conn.QueryRow(t.Context(), `SELECT fence, since, expires <= (extract(epoch FROM now()) * 1000000)::INT8,
		(SELECT count(*) FROM audit_series WHERE held)
		FROM audit_leases WHERE name = $1`, "write "+log).Scan(&h.fence, &h.since, &h.expired, &h.series)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestTwoGatewaysOfOneNameDoNotRun: the second refuses to start and says what to do.
func TestTwoGatewaysOfOneNameDoNotRun(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Shared(t).Database(t)
	upstream := caddytest.NewIssuing(t)
	first := startNode(t, dsn, "edge-1", caddytest.ProxyTo(upstream.URL))
	second := prepareNode(t, dsn, "edge-1", caddytest.ProxyTo(upstream.URL))
	if _, err := second.Ready(); err == nil {
		t.Error("it runs")
	}
	second.End()
	log := second.Stderr.String()
	for _, want := range []string{`log \"edge-1\" is written by process `, "give this gateway another node name, or stop the other one"} {
		if !strings.Contains(log, want) && !strings.Contains(strings.ReplaceAll(log, `"`, `\"`), want) {
			t.Errorf("it does not say %q:\n%s", want, log)
		}
	}
	wantCode(t, first.Post("FECAESolicitar", caddytest.Invoice(1)), 1)
	first.End()
	wantApprovedOnce(t, readLogs(t, dsn), 1)
}

// TestAKilledGatewayGoesOnWithItsLog, once the claim of the dead has ended.
func TestAKilledGatewayGoesOnWithItsLog(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Shared(t).Database(t)
	upstream := caddytest.NewIssuing(t)
	n := startNode(t, dsn, "edge-1", caddytest.ProxyTo(upstream.URL))
	wantCode(t, n.Post("FECAESolicitar", caddytest.Invoice(1)), 1)
	n.Kill()
	n.again("edge-1")
	n.await()
	caddytest.Within(t, time.Minute, "the series is free", func() bool { return n.Post("FECAESolicitar", caddytest.Invoice(2)).Status == http.StatusOK })
	n.End()
	caddytest.WantEachOnce(t, readLogs(t, dsn), 1, 2) // in one log, or two intents had one index
	if n := upstream.TimesAsked(2); n != 1 {
		t.Errorf("it was sent %d times", n)
	}
}

// TestALogIsNotCopiedWhileItsGatewayRuns: the copy would lack what it writes meanwhile.
func TestALogIsNotCopiedWhileItsGatewayRuns(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Shared(t).Database(t)
	n := startNode(t, dsn, "edge-1", caddytest.ProxyTo(caddytest.NewIssuing(t).URL))
	_, _, err := caddytest.AuditCommand("copy", "--from", "postgres:"+dsn, "--to", "sqlite:"+filepath.Join(t.TempDir(), "copy.db"))
	if err == nil || !strings.Contains(err.Error(), "must be stopped") {
		t.Error(err)
	}
	wantCode(t, n.Post("FECAESolicitar", caddytest.Invoice(1)), 1)
}

// TestAStopGivesClaimAndSeriesBack: neither a restart nor another gateway waits.
func TestAStopGivesClaimAndSeriesBack(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Shared(t).Database(t)
	upstream := caddytest.NewIssuing(t)
	n := startNode(t, dsn, "edge-1", caddytest.ProxyTo(upstream.URL))
	wantCode(t, n.Post("FECAESolicitar", caddytest.Invoice(1)), 1)
	n.End()
	if h := heldIn(t, dsn, "edge-1"); !h.expired || h.series != 0 {
		t.Errorf("after the stop: %+v", h)
	}
	other := startNode(t, dsn, "edge-2", caddytest.ProxyTo(upstream.URL))
	wantCode(t, other.Post("FECAESolicitar", caddytest.Invoice(2)), 2)
	other.End()
	n.again("edge-1")
	n.await()
	wantCode(t, n.Post("FECAESolicitar", caddytest.Invoice(3)), 3)
	n.End()
	if log := n.Stderr.String(); strings.Contains(log, "waiting for the claim") {
		t.Errorf("the restart has waited:\n%s", log)
	}
	wantApprovedOnce(t, readLogs(t, dsn), 1, 2, 3)
}

// TestAReloadKeepsTheClaim, and no series: each invoice returns its own.
func TestAReloadKeepsTheClaim(t *testing.T) {
	dsn := postgrestest.Shared(t).Database(t)
	t.Setenv(dsnVariable, dsn)
	t.Setenv("XDG_DATA_HOME", t.TempDir()) // for the key
	upstream := caddytest.NewIssuing(t)
	s := caddytest.NewSite(t)
	next := caddytest.ProxyTo(upstream.URL)
	s.Load(s.Config(sharedAudit("edge-1"), next))
	wantCode(t, s.Post("FECAESolicitar", caddytest.Invoice(1)), 1)
	before := heldIn(t, dsn, "edge-1")
	s.Load(s.Config(sharedAudit("edge-1", "max_body 1MiB"), next))
	wantCode(t, s.Post("FECAESolicitar", caddytest.Invoice(2)), 2)
	after := heldIn(t, dsn, "edge-1")
	if after.fence != before.fence || after.since != before.since || after.expired || after.series != 0 {
		t.Errorf("%+v before the reload, %+v after it", before, after)
	}
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	caddytest.WantEachOnce(t, readLogs(t, dsn), 1, 2)
}
