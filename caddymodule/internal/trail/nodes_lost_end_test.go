package trail_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// TestAGatewayStopsWhereTheDatabaseHasLostRecords that it has written, as after a failover to a
// replica that lagged: it sends and records nothing more, says why, and is not ready.
func TestAGatewayStopsWhereTheDatabaseHasLostRecords(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Shared(t).Database(t)
	upstream := caddytest.NewIssuing(t)
	n := startNode(t, dsn, "edge-1", caddytest.ProxyTo(upstream.URL), "recover within 1s", "replay on")
	wantCode(t, n.Post("FECAESolicitar", caddytest.Invoice(1)), 1)
	wantCode(t, n.Post("FECAESolicitar", caddytest.Invoice(2)), 2)
	loseEnd(t, dsn)
	before := len(readLogs(t, dsn))
	for range 2 {
		got := n.Post("FECAESolicitar", caddytest.Invoice(3))
		if got.Status != http.StatusServiceUnavailable || got.Codes(t)[0] != "audit.unavailable" {
			t.Errorf("without its end: %d %s", got.Status, got.Body)
		}
	}
	if times := upstream.TimesAsked(3); times != 0 {
		t.Errorf("it has sent an invoice, %d times", times)
	}
	if after := len(readLogs(t, dsn)); after != before {
		t.Errorf("it has written %d records", after-before)
	}
	said := "the log has lost records that this gateway has written"
	caddytest.Within(t, time.Minute, "it says why", func() bool { return strings.Contains(n.Stderr.String(), said) })
	n.End()
	if log := n.Stderr.String(); strings.Contains(log, "the log was opened again") || strings.Count(log, said) != 1 {
		t.Errorf("it has continued, or does not say once why it does not:\n%s", log)
	}
}

// loseEnd removes the newest commit of each log.
func loseEnd(t *testing.T, dsn string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), `
		DELETE FROM audit_segments s WHERE first = (SELECT max(first) FROM audit_segments WHERE log = s.log);
		DELETE FROM audit_checkpoints c WHERE number = (SELECT max(number) FROM audit_checkpoints WHERE log = c.log)`)
	if err != nil {
		t.Fatal(err)
	}
}

// TestAGatewayWarnsOfADatabaseThatMayLoseRecords: the log has the cure, and the metric the kind.
func TestAGatewayWarnsOfADatabaseThatMayLoseRecords(t *testing.T) {
	t.Parallel()
	upstream := caddytest.NewIssuing(t)
	n := startNode(t, postgrestest.Shared(t).Database(t), "edge-1", caddytest.ProxyTo(upstream.URL)) // it does not sync
	caddytest.Eventually(t, "the metric", func() bool { return n.Metric(`wsfev1_audit_hazards{kind="disk"}`) == "1" })
	if got := n.Metric(`wsfev1_audit_hazards{kind="commit"}`); got != "0" {
		t.Errorf("synchronous_commit is on: %s", got)
	}
	n.End()
	if log := n.Stderr.String(); strings.Count(log, "fsync is off") != 1 || !strings.Contains(log, "set fsync = on") {
		t.Errorf("%s", log)
	}
}
