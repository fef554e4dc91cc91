package postgres_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/postgres"
	"github.com/fielato/fielato/internal/audittest"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// awaitReplica returns another process that waits for a replica, 0 if this has ended before.
func awaitReplica(t *testing.T, admin *pgx.Conn, other int, ended func() bool) (process int) {
	t.Helper()
	const waiting = "SELECT coalesce(max(pid), 0) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'SyncRep' AND pid <> $1"
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for process == 0 && !ended() {
		if err := admin.QueryRow(t.Context(), waiting, other).Scan(&process); err != nil {
			t.Fatal(err)
		}
		<-tick.C
	}
	return process
}

// TestACommitThatStoppedToWaitForAReplicaIsNotTakenForSafe: the server keeps it, and a failover loses it.
func TestACommitThatStoppedToWaitForAReplicaIsNotTakenForSafe(t *testing.T) {
	dsn := postgrestest.New(t, "").Database(t)
	store := open(t, dsn, postgres.Options{})
	defer closeStore(t, store)
	trail, err := audit.Open(t.Context(), store, "gateway-1", audittest.Key(t, "gateway-1"), audit.Options{First: true})
	if err != nil {
		t.Fatal(err)
	}
	admin, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(t.Context())
	run := func(statements ...string) {
		t.Helper()
		for _, statement := range statements {
			if _, err := admin.Exec(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
	}
	run("ALTER SYSTEM SET synchronous_standby_names = 'gone'", "SELECT pg_reload_conf()")
	var enough atomic.Bool
	appended := make(chan error)
	go func() {
		var err error
		for source := audittest.NewSource(1); err == nil && !enough.Load(); { // the server takes a moment to wait for the replica
			_, err = trail.Append(t.Context(), source.Issue(1))
		}
		appended <- err
	}()
	process := awaitReplica(t, admin, 0, func() bool { return false })
	enough.Store(true)
	size := trail.Size()
	if _, err := admin.Exec(t.Context(), "SELECT pg_terminate_backend($1)", process); err != nil {
		t.Fatal(err)
	}
	if awaitReplica(t, admin, process, func() bool { return trail.Size() > size }) == 0 {
		t.Error("a record was acknowledged that no replica has")
	}
	run("ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")
	if err := <-appended; err != nil {
		t.Error(err)
	}
	if got := trail.Size(); got != size+1 {
		t.Errorf("%d records, want %d", got, size+1)
	}
	if err := trail.Close(); err != nil {
		t.Error(err)
	}
}
