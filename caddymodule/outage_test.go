package caddymodule_test

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
)

// outage is a store that takes nothing for a while.
type outage struct {
	*process
	upstream     *issuing
	breaks, ends func()
	// read returns the trail, nil for that of the process's own file.
	read func() []*audit.Record
}

// records returns the trail of a gateway that has ended.
func (o *outage) records() []*audit.Record {
	if o.read != nil {
		return o.read()
	}
	return o.process.records()
}

// between runs an outage while one invoice is at the service, and another, and a query,
// come from clients. Nobody asks the gateway for anything between the end of the outage
// and the moment when everything is written.
func (o *outage) between(t *testing.T) {
	t.Helper()
	release := o.upstream.hold(t, 2)
	o.wantIssued(t, 1, "")
	answered := make(chan response, 1)
	go func() { answered <- o.post("FECAESolicitar", invoice(2)) }()
	<-o.upstream.arrived
	o.breaks()
	release()
	got := <-answered
	if got.status != 200 || string(got.body) != approvalOf(2) || !strings.HasPrefix(got.header.Get("Wsfev1-Unrecorded"), "pending; exchange=") {
		t.Errorf("the client has lost its code: %d %v %s", got.status, got.header, got.body)
	}
	refused := map[string]string{"FECAESolicitar": invoice(3), "FECompTotXRequest": "{" + authText + "}"}
	for operation, body := range refused {
		got := o.post(operation, body)
		if got.status != 503 || got.codes(t)[0] != "audit.unavailable" || got.header.Get("Retry-After") == "" {
			t.Errorf("%s meanwhile: %d %v %s", operation, got.status, got.header, got.body)
		}
	}
	if n := o.upstream.timesAsked(3); n != 0 {
		t.Errorf("an invoice was sent without an intent, %d times", n)
	}
	o.ends()
	eventually(t, "what is owed is written", func() bool { return o.metric("wsfev1_audit_pending_outcomes") == "0" })
	o.wantIssued(t, 3, "")
	o.end()
	wantEachOnce(t, o.records(), 1, 2, 3)
}

// wantIssued issues an invoice that is recorded, or has what is said for a record.
func (o *outage) wantIssued(t *testing.T, number int, unrecorded string) {
	t.Helper()
	got := o.post("FECAESolicitar", invoice(number))
	if got.status != 200 || string(got.body) != approvalOf(number) {
		t.Errorf("invoice %d: %d %s", number, got.status, got.body)
	}
	if fate := got.header.Get("Wsfev1-Unrecorded"); !strings.HasPrefix(fate, unrecorded) || (fate == "") == (got.header.Get("Wsfev1-Record") == "") {
		t.Errorf("invoice %d: %v, want %q", number, got.header, unrecorded)
	}
}

// lock makes the outage one in which somebody else's tool holds the write lock of the
// database.
func (o *outage) lock(t *testing.T) {
	t.Helper()
	db, err := sql.Open("sqlite", o.store)
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
	upstream := newIssuing(t)
	o := &outage{process: startProcess(t, proxyTo(upstream.URL)), upstream: upstream}
	o.lock(t)
	o.between(t)
}

// TestLockedDatabaseAndForward: the first exchange waits for the lock, those after it
// go on at once.
func TestLockedDatabaseAndForward(t *testing.T) {
	t.Parallel()
	upstream := newIssuing(t)
	o := &outage{process: startProcess(t, proxyTo(upstream.URL), trailOption+"on_failure forward"), upstream: upstream}
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
	eventually(t, "what is owed is written", func() bool { return o.metric("wsfev1_audit_pending_outcomes") == "0" })
	o.end()
	wantEachOnce(t, o.records(), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
}
