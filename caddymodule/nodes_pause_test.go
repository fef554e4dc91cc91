//go:build unix

package caddymodule_test

import (
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// signal sends a signal to the gateway's process.
func (n *node) signal(s syscall.Signal) {
	n.t.Helper()
	if err := n.cmd.Process.Signal(s); err != nil {
		n.t.Fatal(err)
	}
}

// TestAPausedGatewayHasLostItsSeries: while it stands still for longer than its leases last,
// another one issues in its series. When it goes on it neither sends what the other one has
// sent nor refuses what is new.
func TestAPausedGatewayHasLostItsSeries(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Shared(t).Database(t)
	upstream := newIssuing(t)
	paused := startNode(t, dsn, "edge-1", proxyTo(upstream.URL), "recover within 1s", "replay on")
	other := startNode(t, dsn, "edge-2", proxyTo(upstream.URL), "recover within 1s", "replay on")
	wantCode(t, paused.post("FECAESolicitar", invoice(1)), 1)
	paused.signal(syscall.SIGSTOP)
	within(t, time.Minute, "another one has the series", func() bool { return other.post("FECAESolicitar", invoice(2)).status == http.StatusOK })
	paused.signal(syscall.SIGCONT)
	wantCode(t, paused.post("FECAESolicitar", invoice(2)), 2)
	wantCode(t, paused.post("FECAESolicitar", invoice(3)), 3)
	for number := 1; number <= 3; number++ {
		if n := upstream.timesAsked(number); n != 1 {
			t.Errorf("invoice %d was sent %d times", number, n)
		}
	}
	paused.end()
	other.end()
	wantApprovedOnce(t, readLogs(t, dsn), 1, 2, 3)
}

// wantCode wants the answer to an invoice.
func wantCode(t *testing.T, got response, number int) {
	t.Helper()
	if got.status != http.StatusOK || string(got.body) != approvalOf(number) {
		t.Errorf("invoice %d: %d %s", number, got.status, got.body)
	}
}

// TestAPausedGatewayGoesOnWhenItsHeirHasEnded: one of the same name has written its log
// meanwhile, and is alive at first, and gone then. Nobody has to start the first one again.
func TestAPausedGatewayGoesOnWhenItsHeirHasEnded(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Shared(t).Database(t)
	upstream := newIssuing(t)
	paused := startNode(t, dsn, "edge-1", proxyTo(upstream.URL), "recover within 1s", "replay on")
	wantCode(t, paused.post("FECAESolicitar", invoice(1)), 1)
	paused.signal(syscall.SIGSTOP)
	heir := startNode(t, dsn, "edge-1", proxyTo(upstream.URL), "recover within 1s", "replay on")
	wantCode(t, heir.post("FECAESolicitar", invoice(2)), 2)
	paused.signal(syscall.SIGCONT)
	if got := paused.post("FECAESolicitar", invoice(3)); got.status != http.StatusServiceUnavailable {
		t.Errorf("beside its heir: %d %s", got.status, got.body)
	}
	wantCode(t, heir.post("FECAESolicitar", invoice(3)), 3)
	heir.end()
	ended := time.Now()
	within(t, time.Minute, "it issues again", func() bool { return paused.post("FECAESolicitar", invoice(4)).status == http.StatusOK })
	t.Logf("it has gone on after %v", time.Since(ended))
	wantCode(t, paused.post("FECAESolicitar", invoice(3)), 3) // as its heir has recorded it
	for number := 1; number <= 4; number++ {
		if n := upstream.timesAsked(number); n != 1 {
			t.Errorf("invoice %d was sent %d times", number, n)
		}
	}
	paused.end()
	if log := paused.stderr.String(); strings.Count(log, "the log was opened again") != 1 || strings.Contains(log, "a record is lost") {
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
	upstream := newIssuing(t)
	paused := startNode(t, dsn, "edge-1", proxyTo(upstream.URL))
	wantCode(t, paused.post("FECAESolicitar", invoice(1)), 1)
	release := upstream.hold(t, 2)
	answered := make(chan response, 1)
	go func() { answered <- paused.post("FECAESolicitar", invoice(2)) }()
	<-upstream.arrived
	paused.signal(syscall.SIGSTOP)
	heir := startNode(t, dsn, "edge-1", proxyTo(upstream.URL)) // waits for the end of the claim
	before := len(readLogs(t, dsn))
	release()
	paused.signal(syscall.SIGCONT)
	if got := <-answered; got.status != http.StatusOK || got.header.Get("Wsfev1-Unrecorded") == "" {
		t.Errorf("the client has lost its code: %d %v %s", got.status, got.header, got.body)
	}
	got := paused.post("FECAESolicitar", invoice(3))
	if got.status != http.StatusServiceUnavailable || got.codes(t)[0] != "audit.unavailable" {
		t.Errorf("a gateway without its log: %d %s", got.status, got.body)
	}
	if n := upstream.timesAsked(3); n != 0 {
		t.Errorf("it has sent an invoice, %d times", n)
	}
	if after := len(readLogs(t, dsn)); after != before {
		t.Errorf("it has written %d records", after-before)
	}
	paused.end()
	wantCode(t, heir.post("FECAESolicitar", invoice(3)), 3)
	heir.end()
	wantApprovedOnce(t, readLogs(t, dsn), 1, 3)
}
