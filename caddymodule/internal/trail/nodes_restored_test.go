package trail_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// TestAnOlderDatabaseDoesNotStartSilently: a copy of the server from before the newest invoices. Its
// gateway refuses to start. Told to go on, it asks the service for what was issued meanwhile, gives it to
// who asks again, and gives no address twice.
func TestAnOlderDatabaseDoesNotStartSilently(t *testing.T) {
	const database = "trail"
	const caeOf = "/FeDetResp/FECAEDetResponse/0/CAE"
	server := postgrestest.New(t, "fsync = off\n")
	server.Exec(t, "postgres", "CREATE DATABASE "+database)
	file := filepath.Join(t.TempDir(), "edge-1.key")
	next := caddytest.WithBackend(t)
	options := []string{"replay on", "recover within 1200ms", "sequence enforce", caddytest.TrailOption + "key " + file}
	codes := map[int]string{}
	n := startNode(t, server.DSN(database), "edge-1", next, options...)
	codes[1] = n.Post("FECAESolicitar", caddytest.Invoice(1)).At(t, caeOf)
	n.End()
	server.Stop(t)
	older := server.Copy(t)
	server.Start(t)
	n.again("edge-1")
	n.await()
	for _, number := range []int{2, 3} {
		codes[number] = n.Post("FECAESolicitar", caddytest.Invoice(number)).At(t, caeOf)
	}
	n.End()
	lost := map[string]bool{}
	for _, r := range readLogs(t, server.DSN(database)) {
		lost[audit.Address(r.Log, r.Index)] = true
	}
	n.dsn = older.DSN(database)
	n.again("edge-1")
	if _, err := n.Ready(); err == nil {
		t.Fatal("it has started on an older copy")
	}
	n.End()
	if log := n.Stderr.String(); !strings.Contains(log, "has 2 records, and had 6") || !strings.Contains(log, "continue-after-restore") {
		t.Fatalf("%s", log)
	}
	out, errs, err := caddytest.AuditCommand("continue-after-restore", "--store", "postgres:"+n.dsn, "--log", "edge-1", "--key-file", file, "--reason", "failover")
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, errs)
	}
	n.again("edge-1")
	n.await()
	if got := n.Post("FECAESolicitar", caddytest.Invoice(4)); got.Header.Get("Wsfev1-Outcome") != "approved" {
		t.Errorf("a new invoice: %v %s", got.Header, got.Body)
	}
	for number, outcome := range map[int]string{1: "replayed", 2: "recovered", 3: "recovered"} {
		got := n.Post("FECAESolicitar", caddytest.Invoice(number))
		if got.At(t, caeOf) != codes[number] || got.Header.Get("Wsfev1-Outcome") != outcome {
			t.Errorf("invoice %d: %v %s, want %s", number, got.Header, got.Body, codes[number])
		}
	}
	n.End()
	if log := n.Stderr.String(); !strings.Contains(log, `"missing":2,"found":2`) {
		t.Errorf("it does not say what is missing:\n%s", log)
	}
	asked := map[string]bool{}
	for _, r := range readLogs(t, n.dsn) {
		if r.Operation == "FECompConsultar" && strings.Contains(string(r.Answer), codes[2]) {
			asked[codes[2]] = true
		}
		if address := audit.Address(r.Log, r.Index); lost[address] && r.Index >= 2 {
			t.Errorf("the address %s was given twice", address)
		}
	}
	if !asked[codes[2]] {
		t.Error("the trail has no answer about a lost invoice")
	}
}
