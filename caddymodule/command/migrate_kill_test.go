package command_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"

	auditpostgres "github.com/fielato/fielato/audit/postgres"
	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	ledgerpostgres "github.com/fielato/fielato/internal/backend/postgres"
	"github.com/fielato/fielato/internal/postgres"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
	"github.com/fielato/fielato/internal/testrun"
	ticketspostgres "github.com/fielato/fielato/wsaa/keeper/postgres"
)

// startsOf is how often a first start or a migration is killed.
func startsOf(t *testing.T) int {
	t.Helper()
	return testrun.Size(t, 2, 4)
}

// TestKilledMigrationIsCompleted: two processes migrate one database, and one of them or both
// are killed at some moment. The next one completes what they have begun, and a gateway
// works with it.
//
//	FIELATO_TEST_LONG=25 go test ./caddymodule/command -run KilledMigration -v
func TestKilledMigrationIsCompleted(t *testing.T) {
	random := rand.New(rand.NewPCG(caddytest.KillSeed, 5))
	took := time.Second // as long as the last one that was not killed
	rounds := startsOf(t)
	for round := range rounds {
		dsn := "postgres:" + postgrestest.Shared(t).Database(t)
		migrating := func(mortal bool, at time.Duration) {
			process := caddytest.CommandProcess(t, "wsfev1 migrate --store "+dsn+" --ledger "+dsn)
			if err := process.Start(); err != nil {
				t.Error(err)
				return
			}
			if mortal {
				timer := time.AfterFunc(at, func() { _ = process.Process.Kill() })
				defer timer.Stop()
			}
			if err := process.Wait(); err != nil && !mortal {
				t.Errorf("beside one that was killed: %v", err)
			}
		}
		began := time.Now()
		both := round%2 == 1
		first, second := time.Duration(random.Int64N(int64(took))), time.Duration(random.Int64N(int64(took)))
		var running sync.WaitGroup
		running.Go(func() { migrating(true, first) })
		running.Go(func() { migrating(both, second) })
		running.Wait()
		if !both {
			took = max(time.Since(began), 10*time.Millisecond)
		}
		wantMigrated(t, dsn)
		if round%10 == 0 || round == rounds-1 {
			wantAtWork(t, dsn)
		}
	}
}

// wantMigrated migrates once more, which must succeed and leave nothing to do.
func wantMigrated(t *testing.T, dsn string) {
	t.Helper()
	for _, want := range []string{"", "nothing to do"} {
		if out, err := caddytest.MigrateCommand("--store", dsn, "--ledger", dsn); err != nil || want != "" && strings.Count(out, want) != 3 {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// wantAtWork issues an invoice with a trail and a ledger in the database.
func wantAtWork(t *testing.T, dsn string) {
	t.Helper()
	t.Setenv("FIELATO_TEST_DSN", strings.TrimPrefix(dsn, "postgres:"))
	s := &caddytest.Site{T: t, URL: "http://" + caddytest.FreeAddress(t)}
	s.Load(fmt.Sprintf("{\n admin off\n persist_config off\n}\n%s {\n bind %s\n wsfev1 {\n  audit postgres {env.FIELATO_TEST_DSN} {\n   node north\n   key %s\n  }\n }\n"+
		" wsfev1_backend {\n  ledger postgres {env.FIELATO_TEST_DSN}\n }\n}\n", s.URL, caddytest.Loopback, filepath.Join(t.TempDir(), "north.key")))
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Header.Get("Wsfev1-Outcome") != "approved" {
		t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
	}
	if err := caddy.Stop(); err != nil {
		t.Error(err)
	}
	if out, errs, err := caddytest.AuditCommand("verify", "--store", dsn); err != nil || !strings.Contains(out, "\nsound") {
		t.Errorf("%v\n%s%s", err, out, errs)
	}
}

// TestMigrationGoesOnFromEachStep: a migration that was cut off has committed a number of whole steps. Two
// processes go on from each at once.
func TestMigrationGoesOnFromEachStep(t *testing.T) {
	t.Parallel()
	for _, all := range []*postgres.Migrations{auditpostgres.Migrations, ticketspostgres.Migrations, &ledgerpostgres.Migrations} {
		for version := range len(all.Steps) + 1 {
			dsn := postgrestest.Shared(t).Database(t)
			older := &postgres.Migrations{Component: all.Component, Steps: all.Steps[:version]}
			pool, err := postgres.Open(t.Context(), dsn, postgres.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := older.Run(t.Context(), pool); err != nil {
				t.Error(err)
			}
			pool.Close()
			var running sync.WaitGroup
			for range 2 {
				running.Go(func() {
					if out, err := caddytest.MigrateCommand("--store", "postgres:"+dsn, "--ledger", "postgres:"+dsn); err != nil {
						t.Errorf("%s from version %d: %v\n%s", all.Component, version, err, out)
					}
				})
			}
			running.Wait()
			wantMigrated(t, "postgres:"+dsn)
		}
	}
}

// TestKilledFirstStart: the files of trail and ledger are made by the first start, which is
// killed meanwhile. The next start completes them.
//
//	FIELATO_TEST_LONG=25 go test ./caddymodule/command -run KilledFirstStart -v
func TestKilledFirstStart(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(caddytest.KillSeed, 6))
	took := time.Duration(0)
	for round := range startsOf(t) {
		folder := t.TempDir()
		p := caddytest.PrepareProcess(t, folder, "", "wsfev1_backend {\n ledger sqlite "+filepath.Join(folder, "ledger.db")+"\n}")
		if round > 0 {
			timer := time.AfterFunc(time.Duration(random.Int64N(int64(took))), p.Kill)
			_, _ = p.Ready()
			timer.Stop()
			p.Kill()
			p.ServiceProcess = caddytest.StartCaddy(t, p.Config(p.WithAudit(), "wsfev1_backend {\n ledger sqlite "+filepath.Join(folder, "ledger.db")+"\n}"))
		}
		began := time.Now()
		if _, err := p.Ready(); err != nil {
			t.Fatalf("round %d: it does not start: %v\n%s", round, err, &p.Stderr)
		}
		took = cmp.Or(took, time.Since(began))
		if got := p.Post("FECAESolicitar", caddytest.Invoice(1)); got.Header.Get("Wsfev1-Outcome") != "approved" {
			t.Errorf("round %d: %d %v %s", round, got.Status, got.Header, got.Body)
		}
		p.End()
		if intents, outcomes := caddytest.Kinds(p.Records()); intents != 1 || outcomes != 1 { // which verifies
			t.Errorf("round %d: %d intents, %d outcomes", round, intents, outcomes)
		}
	}
}
