package trail_test

import (
	"context"
	"database/sql"
	"net/http"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
)

// outage is a store that takes nothing for a while.
type outage struct {
	*caddytest.Process
	upstream     *caddytest.Issuing
	breaks, ends func()
	// read returns the trail, nil to read the process's own file.
	read func() []*audit.Record
}

// records returns the trail of a gateway that has ended.
func (o *outage) records() []*audit.Record {
	if o.read != nil {
		return o.read()
	}
	return o.Process.Records()
}

// between runs an outage while one invoice is at the service, and another, and a query,
// come from clients. Nobody asks the gateway for anything between the end of the outage
// and the moment when everything is written.
func (o *outage) between(t *testing.T) {
	t.Helper()
	release := o.upstream.Hold(t, 2)
	o.wantIssued(t, 1, "")
	answered := make(chan caddytest.Response, 1)
	go func() { answered <- o.Post("FECAESolicitar", caddytest.Invoice(2)) }()
	<-o.upstream.Arrived
	o.breaks()
	release()
	got := <-answered
	if got.Status != 200 || string(got.Body) != caddytest.ApprovalOf(2) || !strings.HasPrefix(got.Header.Get("Wsfev1-Unrecorded"), "pending; exchange=") {
		t.Errorf("the client has lost its code: %d %v %s", got.Status, got.Header, got.Body)
	}
	refused := map[string]string{"FECAESolicitar": caddytest.Invoice(3), "FECompTotXRequest": "{" + caddytest.AuthText + "}"}
	for operation, body := range refused {
		got := o.Post(operation, body)
		if got.Status != 503 || got.Codes(t)[0] != "audit.unavailable" || got.Header.Get("Retry-After") == "" {
			t.Errorf("%s meanwhile: %d %v %s", operation, got.Status, got.Header, got.Body)
		}
	}
	if n := o.upstream.TimesAsked(3); n != 0 {
		t.Errorf("an invoice was sent without an intent, %d times", n)
	}
	o.ends()
	caddytest.Eventually(t, "what is owed is written", func() bool { return o.Metric("wsfev1_audit_pending_outcomes") == "0" })
	caddytest.Eventually(t, "the series is taken up again", func() bool {
		got = o.Post("FECAESolicitar", caddytest.Invoice(3))
		// A gateway that shares its series has to get this one anew.
		return o.read == nil || got.Status != http.StatusServiceUnavailable || got.Codes(t)[0] != "once.busy"
	})
	checkIssued(t, got, 3, "")
	o.End()
	caddytest.WantEachOnce(t, o.records(), 1, 2, 3)
}

// wantIssued issues an invoice that is recorded, or has the fate unrecorded in place of a record.
func (o *outage) wantIssued(t *testing.T, number int, unrecorded string) {
	t.Helper()
	checkIssued(t, o.Post("FECAESolicitar", caddytest.Invoice(number)), number, unrecorded)
}

func checkIssued(t *testing.T, got caddytest.Response, number int, unrecorded string) {
	t.Helper()
	if got.Status != 200 || string(got.Body) != caddytest.ApprovalOf(number) {
		t.Errorf("invoice %d: %d %s", number, got.Status, got.Body)
	}
	if fate := got.Header.Get("Wsfev1-Unrecorded"); !strings.HasPrefix(fate, unrecorded) || (fate == "") == (got.Header.Get("Wsfev1-Record") == "") {
		t.Errorf("invoice %d: %v, want %q", number, got.Header, unrecorded)
	}
}

// lock makes the outage one in which somebody else's tool holds the write lock of the
// database.
func (o *outage) lock(t *testing.T) {
	t.Helper()
	db, err := sql.Open("sqlite", o.Store)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	run := func(statement string) func() {
		return func() {
			if _, err := conn.ExecContext(context.Background(), statement); err != nil {
				t.Errorf("%s: %v", statement, err)
			}
		}
	}
	o.breaks, o.ends = run("BEGIN IMMEDIATE"), run("ROLLBACK")
}

func TestLockedDatabase(t *testing.T) {
	t.Parallel()
	upstream := caddytest.NewIssuing(t)
	o := &outage{Process: caddytest.StartProcess(t, caddytest.ProxyTo(upstream.URL)), upstream: upstream}
	o.lock(t)
	o.between(t)
}

// TestLockedDatabaseAndForward: the first exchange waits for the lock, those after it
// go on at once.
func TestLockedDatabaseAndForward(t *testing.T) {
	t.Parallel()
	upstream := caddytest.NewIssuing(t)
	o := &outage{Process: caddytest.StartProcess(t, caddytest.ProxyTo(upstream.URL), caddytest.TrailOption+"on_failure forward"), upstream: upstream}
	o.lock(t)
	o.goesOn(t)
}

// goesOn runs an outage in which invoices are issued without a record (on_failure forward).
func (o *outage) goesOn(t *testing.T) {
	t.Helper()
	o.wantIssued(t, 1, "")
	o.breaks()
	for number := 2; number <= 10; number++ {
		o.wantIssued(t, number, "pending; exchange=")
	}
	o.ends()
	caddytest.Eventually(t, "what is owed is written", func() bool { return o.Metric("wsfev1_audit_pending_outcomes") == "0" })
	o.End()
	caddytest.WantEachOnce(t, o.records(), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
}
