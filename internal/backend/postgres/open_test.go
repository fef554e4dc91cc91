package postgres_test

import (
	"errors"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/backend/postgres"
	inner "github.com/fielato/fielato/internal/postgres"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

func TestOpenMigratesOnlyWhereItIsToldTo(t *testing.T) {
	dsn := postgrestest.Shared(t).Database(t)
	_, err := postgres.Open(t.Context(), dsn, postgres.Options{})
	if !errors.Is(err, inner.ErrBehind) || !strings.Contains(err.Error(), "fielato wsfev1 migrate") {
		t.Errorf("an empty database: %v", err)
	}
	open(t, dsn).Close()
	ledger, err := postgres.Open(t.Context(), dsn, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer ledger.Close()
	if _, err := issueMarked(ledger, seriesOf(0), "x", false); err != nil {
		t.Error(err)
	}
}

func TestManyOpenANewDatabaseAtTheSameTime(t *testing.T) {
	dsn := postgrestest.Shared(t).Database(t)
	var opening sync.WaitGroup
	for c := range 8 {
		opening.Go(func() {
			ledger, err := postgres.Open(t.Context(), dsn, postgres.Options{Migrate: true})
			if err != nil {
				t.Error(err)
				return
			}
			defer ledger.Close()
			if _, err := issueMarked(ledger, seriesOf(c%2), "x", false); err != nil {
				t.Error(err)
			}
		})
	}
	opening.Wait()
	ledger := open(t, dsn)
	defer ledger.Close()
	if got := marks(t, ledger, seriesOf(0)) + " " + marks(t, ledger, seriesOf(1)); got != strings.TrimSpace(strings.Repeat("x ", 8)) {
		t.Errorf("the series have %s", got)
	}
}

func TestOpenNamesTheServerThatIsAwayWithoutThePassword(t *testing.T) {
	_, err := postgres.Open(t.Context(), "postgres://u:"+postgrestest.Password+"@127.0.0.1:1/invoices", postgres.Options{})
	if err == nil || !strings.Contains(err.Error(), "127.0.0.1:1/invoices") || strings.Contains(err.Error(), postgrestest.Password) {
		t.Errorf("%v", err)
	}
}

// asRole creates a role and returns the DSN with it.
func asRole(t *testing.T, dsn, role string) string {
	t.Helper()
	address, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	postgrestest.Shared(t).Exec(t, "postgres", "CREATE ROLE "+role+" LOGIN PASSWORD '"+postgrestest.Password+"'")
	address.User = url.UserPassword(role, postgrestest.Password)
	return address.String()
}

func TestARoleOfFewRightsIsEnough(t *testing.T) {
	cluster := postgrestest.Shared(t)
	dsn := cluster.Database(t)
	const role = "fielato_gateway"
	few := asRole(t, dsn, role)
	_, err := postgres.Open(t.Context(), few, postgres.Options{Migrate: true})
	if err == nil || !strings.Contains(err.Error(), "the role may not do this") {
		t.Errorf("migrated without any right: %v", err)
	}
	open(t, dsn).Close()
	database := dsn[strings.LastIndex(dsn, "/")+1 : strings.Index(dsn, "?")]
	cluster.Exec(t, database, postgres.GatewayGrants)
	ledger, err := postgres.Open(t.Context(), few, postgres.Options{Migrate: true})
	if err != nil {
		t.Fatal(err)
	}
	defer ledger.Close()
	useEverything(t, ledger)
	reset := func(tx backend.Tx) error { return tx.Reset(t.Context()) }
	if err := ledger.Update(t.Context(), reset); err == nil {
		t.Error("reset without the right to delete")
	}
	if got := marks(t, ledger, seriesOf(0)); got != "first second" {
		t.Errorf("after a reset that was refused the series has %s", got)
	}
	cluster.Exec(t, database, postgres.ResetGrants)
	if err := ledger.Update(t.Context(), reset); err != nil || marks(t, ledger, seriesOf(0)) != "" {
		t.Errorf("reset: %v", err)
	}
}

// useEverything makes all the calls that a gateway makes.
func useEverything(t *testing.T, ledger backend.Ledger) {
	t.Helper()
	ctx := t.Context()
	note := marked(1, `{"CbtesAsoc":{"CbteAsoc":[{"Tipo":6,"PtoVta":1,"Nro":1}]}}`)
	note.EmisionTipo, note.Code = backend.EmisionCAEA, "46450000000010"
	for _, fn := range []func(backend.Tx) error{
		func(tx backend.Tx) error { return tx.Append(ctx, seriesOf(0), []backend.Invoice{marked(1, "first")}) },
		func(tx backend.Tx) error { return tx.Append(ctx, seriesOf(0), []backend.Invoice{marked(2, "second")}) },
		func(tx backend.Tx) error { return tx.Append(ctx, seriesOf(1), []backend.Invoice{note}) },
		func(tx backend.Tx) error {
			return tx.AddCAEA(ctx, backend.CAEA{Code: "46450000000022", Cuit: 20267565393, Periodo: 202611, Orden: 1})
		},
		func(tx backend.Tx) error {
			return tx.AddSinMovimiento(ctx, backend.SinMovimiento{CAEA: "46450000000022", PtoVta: 3, FchProceso: "20261106"})
		},
		func(tx backend.Tx) error { return tx.SkipSerials(ctx, 50) },
		func(tx backend.Tx) error {
			_, err := tx.Serials(ctx, 1)
			return err
		},
	} {
		if err := ledger.Update(ctx, fn); err != nil {
			t.Error(err)
		}
	}
}
