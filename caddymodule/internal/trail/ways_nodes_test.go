package trail_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
	"github.com/fielato/fielato/internal/testrun"
)

// TestKilledGatewaysThatShareATicketIssueEveryInvoiceExactlyOnce: three gateways on one PostgreSQL
// between clients that speak both forms and have no tickets, and a service that speaks SOAP. The
// login service gives one ticket in ten minutes, which all of them use in all of their lives. In the
// short form none is killed: the successor of a dead gateway waits for its claim.
//
//	FIELATO_TEST_LONG=10 go test ./caddymodule/internal/trail -run ThatShareATicket -v -timeout 1h
func TestKilledGatewaysThatShareATicketIssueEveryInvoiceExactlyOnce(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Shared(t).Database(t)
	kills := testrun.Size(t, 0, 1)
	ledger := ledgerVariable + "=" + postgrestest.Shared(t).Database(t)
	far := caddytest.StartFarSide(t, 1<<30, sharedLedger, caddytest.Roughly, "window 10m", ledger)
	far.Forms, far.Ticketless, far.WireFaults = caddytest.Faces, true, 0.01
	file, key := encryptionKey(t)
	h := newHerd(t, dsn, far.Next(), append(hastily, far.Wsaa(), caddytest.TrailOption+"encryption_key "+file)...)
	for _, n := range h.nodes {
		far.Gateways = append(far.Gateways, n.URL)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute+time.Duration(kills)*20*time.Second)
	defer cancel()
	var clients sync.WaitGroup
	clients.Go(func() { far.Run(ctx, caddytest.OnceSeed) })
	work := func() {
		until := far.Sends() + 5 + h.random.IntN(30)
		caddytest.Within(t, time.Minute, "requests upstream", func() bool { return far.Sends() >= until })
	}
	work()
	for range kills {
		h.killOne()
		work()
	}
	far.Stop()
	clients.Wait()
	h.end()
	far.Calm(t, ledger)
	records := readSealedLogs(t, dsn, key)
	far.Verify(records)
	far.VerifyWays(records, kills+sharingNodes)
	far.VerifySecrets(records, dumped(t, dsn))
	if far.Logins() != 1 {
		t.Errorf("%d tickets for %d gateways in %d lives, want 1", far.Logins(), sharingNodes, sharingNodes+kills)
	}
	t.Logf("%d kills, %d invoices, %d sends, %d records, %d logins", kills, far.Issued, far.Sends(), len(records), far.Logins())
}

// dumped writes all rows of a database into a file, and returns its folder. Binary values are in it as
// they are.
func dumped(t *testing.T, dsn string) (folder string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	rows, _ := conn.Query(t.Context(), `SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public'`)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) == 0 {
		t.Fatalf("%d tables: %v", len(tables), err)
	}
	var dump bytes.Buffer
	for _, table := range tables {
		rows, _ := conn.Query(t.Context(), "SELECT * FROM "+table)
		for rows.Next() {
			for _, value := range rows.RawValues() {
				dump.Write(append(value, '\n'))
			}
		}
		if rows.Err() != nil {
			t.Fatalf("%s: %v", table, rows.Err())
		}
	}
	folder = t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "dump"), dump.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}
