package postgres_test

import (
	"strings"
	"testing"
	"time"

	auditpostgres "github.com/fielato/fielato/audit/postgres"
	internal "github.com/fielato/fielato/internal/postgres"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
	"github.com/fielato/fielato/wsaa/keeper/postgres"
)

// as makes a role with these rights and no other, and opens a store as it.
func as(t *testing.T, dsn, role, grants string) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), postgrestest.Granted(t, dsn, role, grants), postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestOnlyAGatewaySeesTickets: with the documented rights it uses them. Those who read the trail, purge
// it, or have the rights of a gateway on the trail alone, do not.
func TestOnlyAGatewaySeesTickets(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.Shared(t).Database(t)
	open(t, dsn)
	trail, err := auditpostgres.Open(t.Context(), dsn, auditpostgres.Options{Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	const forbidden = "42501"
	for role, grants := range map[string]string{
		"fielato_reader": auditpostgres.ReaderGrants, "fielato_purger": auditpostgres.PurgerGrants, "fielato_gateway": auditpostgres.GatewayGrants,
	} {
		s := as(t, dsn, role, grants)
		if lacking, err := s.Lacks(t.Context()); err != nil || len(lacking) != 3 {
			t.Errorf("%s lacks %v: %v", role, lacking, err)
		}
		if _, err := s.Load(t.Context(), name); !internal.HasCode(err, forbidden) || !strings.Contains(err.Error(), "see its grants") {
			t.Errorf("%s sees tickets: %v", role, err)
		}
		if held, err := s.Take(t.Context(), name, "a", time.Minute); held || !internal.HasCode(err, forbidden) {
			t.Errorf("%s holds tickets: %v", role, err)
		}
	}
	gateway := as(t, dsn, "fielato_sharing", strings.ReplaceAll(postgres.GatewayGrants, "fielato_gateway", "fielato_sharing"))
	if lacking, err := gateway.Lacks(t.Context()); err != nil || lacking != nil {
		t.Errorf("a gateway with its rights lacks %v: %v", lacking, err)
	}
	wantTake(t, gateway, "a", true)
	if err := gateway.Save(t.Context(), name, "a", []byte("entry")); err != nil {
		t.Error(err)
	}
	wantEntry(t, gateway, "entry")
	if err := gateway.Return(t.Context(), name, "a"); err != nil {
		t.Error(err)
	}
}
