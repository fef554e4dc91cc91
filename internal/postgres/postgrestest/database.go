package postgrestest

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// DatabaseOf returns the name of the database in a DSN.
func DatabaseOf(tb testing.TB, dsn string) string {
	tb.Helper()
	address, err := url.Parse(dsn)
	if err != nil {
		tb.Fatal(err)
	}
	return strings.TrimPrefix(address.Path, "/")
}

// Granted makes a role of this database alone with the rights that a script names, in a database of the
// shared server. It returns the DSN of the role.
func Granted(tb testing.TB, dsn, role, grants string) string {
	tb.Helper()
	address, err := url.Parse(dsn)
	if err != nil {
		tb.Fatal(err)
	}
	database := DatabaseOf(tb, dsn)
	own := role + "_" + database // roles belong to the whole server
	Shared(tb).Exec(tb, database, "CREATE ROLE "+own+" LOGIN PASSWORD '"+Password+"'; "+strings.ReplaceAll(grants, role, own))
	address.User = url.UserPassword(own, Password)
	return address.String()
}

// AwaitLocked returns when a session in the database of a DSN waits for a lock.
func AwaitLocked(tb testing.TB, dsn string) {
	tb.Helper()
	conn, err := pgx.Connect(tb.Context(), dsn)
	if err != nil {
		tb.Fatal(err)
	}
	defer conn.Close(tb.Context())
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for waiting := false; !waiting; <-tick.C {
		err := conn.QueryRow(tb.Context(), "SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&waiting)
		if err != nil {
			tb.Fatal(err)
		}
	}
}
