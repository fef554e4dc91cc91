//go:build unix

package trail_test

import (
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// signal sends a signal to the gateway's process.
func (n *node) signal(s syscall.Signal) {
	n.T.Helper()
	if err := n.Cmd.Process.Signal(s); err != nil {
		n.T.Fatal(err)
	}
}

// TestAPausedGatewayHasLostItsSeries: while it stands still for longer than its leases last,
// another one issues in its series. When it goes on it neither sends the invoices that the other
// one has sent nor refuses new ones.
func TestAPausedGatewayHasLostItsSeries(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Shared(t).Database(t)
	upstream := caddytest.NewIssuing(t)
	paused := startNode(t, dsn, "edge-1", caddytest.ProxyTo(upstream.URL), "recover within 1s", "replay on")
	other := startNode(t, dsn, "edge-2", caddytest.ProxyTo(upstream.URL), "recover within 1s", "replay on")
	wantCode(t, paused.Post("FECAESolicitar", caddytest.Invoice(1)), 1)
	paused.signal(syscall.SIGSTOP)
	caddytest.Within(t, time.Minute, "another one has the series", func() bool { return other.Post("FECAESolicitar", caddytest.Invoice(2)).Status == http.StatusOK })
	paused.signal(syscall.SIGCONT)
	wantCode(t, paused.Post("FECAESolicitar", caddytest.Invoice(2)), 2)
	wantCode(t, paused.Post("FECAESolicitar", caddytest.Invoice(3)), 3)
	for number := 1; number <= 3; number++ {
		if n := upstream.TimesAsked(number); n != 1 {
			t.Errorf("invoice %d was sent %d times", number, n)
		}
	}
	paused.End()
	other.End()
	wantApprovedOnce(t, readLogs(t, dsn), 1, 2, 3)
}

// wantCode wants the answer to an invoice.
func wantCode(t *testing.T, got caddytest.Response, number int) {
	t.Helper()
	if got.Status != http.StatusOK || string(got.Body) != caddytest.ApprovalOf(number) {
		t.Errorf("invoice %d: %d %s", number, got.Status, got.Body)
	}
}

// TestAPausedGatewayGoesOnWhenItsHeirHasEnded: one of the same name has written its log
// meanwhile, and is alive at first, and gone then. Nobody has to start the first one again.
func TestAPausedGatewayGoesOnWhenItsHeirHasEnded(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Shared(t).Database(t)
	upstream := caddytest.NewIssuing(t)
	paused := startNode(t, dsn, "edge-1", caddytest.ProxyTo(upstream.URL), "recover within 1s", "replay on")
	wantCode(t, paused.Post("FECAESolicitar", caddytest.Invoice(1)), 1)
	paused.signal(syscall.SIGSTOP)
	heir := startNode(t, dsn, "edge-1", caddytest.ProxyTo(upstream.URL), "recover within 1s", "replay on")
	wantCode(t, heir.Post("FECAESolicitar", caddytest.Invoice(2)), 2)
	paused.signal(syscall.SIGCONT)
	if got := paused.Post("FECAESolicitar", caddytest.Invoice(3)); got.Status != http.StatusServiceUnavailable {
		t.Errorf("beside its heir: %d %s", got.Status, got.Body)
	}
	wantCode(t, heir.Post("FECAESolicitar", caddytest.Invoice(3)), 3)
	heir.End()
	ended := time.Now()
	caddytest.Within(t, time.Minute, "it issues again", func() bool { return paused.Post("FECAESolicitar", caddytest.Invoice(4)).Status == http.StatusOK })
	t.Logf("it has gone on after %v", time.Since(ended))
	wantCode(t, paused.Post("FECAESolicitar", caddytest.Invoice(3)), 3) // as its heir has recorded it
	for number := 1; number <= 4; number++ {
		if n := upstream.TimesAsked(number); n != 1 {
			t.Errorf("invoice %d was sent %d times", number, n)
		}
	}
	paused.End()
	if log := paused.Stderr.String(); strings.Count(log, "the log was opened again") != 1 || strings.Contains(log, "a record is lost") {
		t.Errorf("it does not say once that it was opened again:\n%s", log)
	}
	wantApprovedOnce(t, readLogs(t, dsn), 1, 2, 3, 4)
}

// TestAPausedGatewayDoesNotWriteALogThatAnotherHasClaimed, nor does it send anything: it was
// replaced by one of the same name while it stood still. An answer that it was waiting for
// reaches its client all the same.
func TestAPausedGatewayDoesNotWriteALogThatAnotherHasClaimed(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Shared(t).Database(t)
	upstream := caddytest.NewIssuing(t)
	paused := startNode(t, dsn, "edge-1", caddytest.ProxyTo(upstream.URL))
	wantCode(t, paused.Post("FECAESolicitar", caddytest.Invoice(1)), 1)
	release := upstream.Hold(t, 2)
	answered := make(chan caddytest.Response, 1)
	go func() { answered <- paused.Post("FECAESolicitar", caddytest.Invoice(2)) }()
	<-upstream.Arrived
	paused.signal(syscall.SIGSTOP)
	heir := startNode(t, dsn, "edge-1", caddytest.ProxyTo(upstream.URL)) // waits for the end of the claim
	before := len(readLogs(t, dsn))
	release()
	paused.signal(syscall.SIGCONT)
	if got := <-answered; got.Status != http.StatusOK || got.Header.Get("Wsfev1-Unrecorded") == "" {
		t.Errorf("the client has lost its code: %d %v %s", got.Status, got.Header, got.Body)
	}
	got := paused.Post("FECAESolicitar", caddytest.Invoice(3))
	if got.Status != http.StatusServiceUnavailable || got.Codes(t)[0] != "audit.unavailable" {
		t.Errorf("a gateway without its log: %d %s", got.Status, got.Body)
	}
	if n := upstream.TimesAsked(3); n != 0 {
		t.Errorf("it has sent an invoice, %d times", n)
	}
	if after := len(readLogs(t, dsn)); after != before {
		t.Errorf("it has written %d records", after-before)
	}
	paused.End()
	wantCode(t, heir.Post("FECAESolicitar", caddytest.Invoice(3)), 3)
	heir.End()
	wantApprovedOnce(t, readLogs(t, dsn), 1, 3)
}
