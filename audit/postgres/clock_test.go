package postgres_test

import (
	"errors"
	"testing"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/postgres"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// TestAClockThatIsSetBackKeepsNobodyOut: a process has died, and then the server's clock was set
// back by an hour. Who waits has the log and the series when they would have ended anyhow.
func TestAClockThatIsSetBackKeepsNobodyOut(t *testing.T) {
	const length = time.Second
	cluster := postgrestest.Shared(t)
	dsn := cluster.Database(t)
	database := postgrestest.DatabaseOf(t, dsn)
	proxy := postgrestest.NewProxy(t, cluster.Address())
	dead := open(t, proxy.DSN(cluster, database), postgres.Options{ClaimFor: length})
	defer closeStore(t, dead)
	if _, err := dead.Claim(t.Context(), "gateway-1", "dead"); err != nil {
		t.Fatal(err)
	}
	if lease, err := dead.TakeLease(t.Context(), "series", audit.Holder{Process: "dead"}, length); err != nil || !lease.Held {
		t.Fatalf("%+v, %v", lease, err)
	}
	proxy.Down()
	cluster.Exec(t, database, `UPDATE audit_leases SET expires = expires + 3600000000 WHERE expires > 0;
		UPDATE audit_series SET expires = expires + INTERVAL '1 hour'`)
	other := open(t, dsn, postgres.Options{ClaimFor: length})
	defer closeStore(t, other)
	for what, take := range map[string]func() bool{
		"the log": func() bool {
			_, err := other.Claim(t.Context(), "gateway-1", "other")
			if err != nil && !errors.Is(err, audit.ErrTaken) {
				t.Fatal(err)
			}
			return err == nil
		},
		"the series": func() bool {
			lease, err := other.TakeLease(t.Context(), "series", audit.Holder{Process: "other"}, length)
			if err != nil {
				t.Fatal(err)
			}
			return lease.Held
		},
	} {
		first := time.Now()
		if take() {
			t.Errorf("%s: taken at once, though its holder may live", what)
		}
		for tick := time.NewTicker(20 * time.Millisecond); !take(); <-tick.C {
			if time.Since(first) > time.Minute {
				t.Fatalf("%s is not free", what)
			}
		}
	}
	proxy.Up() // for the end of the other
}
