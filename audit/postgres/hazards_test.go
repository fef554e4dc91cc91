package postgres_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/postgres"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// TestSettingsThatLoseRecordsAreSeen.
func TestSettingsThatLoseRecordsAreSeen(t *testing.T) {
	cluster := postgrestest.New(t, "wal_level = replica\nmax_wal_senders = 4\n")
	dsn := cluster.Database(t)
	kinds := func() (all []audit.HazardKind) {
		t.Helper()
		store, err := postgres.Open(t.Context(), dsn, postgres.Options{Migrate: true})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		found, err := store.Hazards(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, hazard := range found {
			if hazard.Found == "" || hazard.Cure == "" {
				t.Errorf("%+v", hazard)
			}
			all = append(all, hazard.Kind)
		}
		return all
	}
	if got := kinds(); got != nil {
		t.Errorf("a server as it comes: %v", got)
	}
	name := postgrestest.DatabaseOf(t, dsn)
	for _, setting := range []string{"off", "local", "remote_apply", "on"} {
		cluster.Exec(t, name, "ALTER DATABASE "+pgx.Identifier{name}.Sanitize()+" SET synchronous_commit = "+setting)
		if got := kinds(); slices.Contains(got, audit.HazardCommit) != (setting == "off") || len(got) > 1 {
			t.Errorf("synchronous_commit = %s: %v", setting, got)
		}
	}
	// A replica that says hello, and takes what comes.
	replication := dsn + "?replication=true&application_name=standby"
	if strings.Contains(dsn, "?") {
		replication = dsn + "&replication=true&application_name=standby"
	}
	replica, err := pgx.Connect(t.Context(), replication)
	if err != nil {
		t.Fatal(err)
	}
	defer replica.Close(t.Context())
	if got := kinds(); !slices.Equal(got, []audit.HazardKind{audit.HazardReplica}) {
		t.Errorf("a replica that no commit waits for: %v", got)
	}
}
