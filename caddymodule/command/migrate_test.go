package command_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/internal/postgres"
	"github.com/fielato/fielato/internal/postgres/postgrestest"
	ticketspostgres "github.com/fielato/fielato/wsaa/keeper/postgres"
)

// TestMigrateSaysFromWhichVersionToWhich, and a dry run changes nothing.
func TestMigrateSaysFromWhichVersionToWhich(t *testing.T) {
	dsn := "postgres:" + postgrestest.Shared(t).Database(t)
	at := `postgres://127\.0\.0\.1:\d+/test_\d+`
	for _, step := range []struct {
		flags []string
		want  string
	}{
		{
			[]string{"--store", dsn, "--ledger", dsn, "--dry-run"},
			`^audit in ` + at + `: version 0, \d to come: version \d is the newest; nothing was changed\ntickets in ` + at + `: version 0, 1 to come: .*\nledger in ` + at + `: version 0, \d to come: .*\n$`,
		},
		{[]string{"--store", dsn, "--dry-run"}, `^audit in ` + at + `: version 0, \d to come: .*\ntickets in ` + at + `: version 0, \d to come: .*\n$`},
		{[]string{"--store", dsn}, `^audit in ` + at + `: from version 0 to \d\ntickets in ` + at + `: from version 0 to \d\n$`},
		{
			[]string{"--store", dsn, "--ledger", dsn},
			`^audit in ` + at + `: version \d, the newest; nothing to do\ntickets in ` + at + `: version \d, the newest; nothing to do\nledger in ` + at + `: from version 0 to \d\n$`,
		},
		{[]string{"--ledger", dsn, "--dry-run"}, `^ledger in ` + at + `: version \d, the newest; nothing to do\n$`},
	} {
		out, err := caddytest.MigrateCommand(step.flags...)
		if err != nil || !regexp.MustCompile(step.want).MatchString(out) || strings.Contains(out, postgrestest.Password) {
			t.Errorf("%v: %v\n%s", step.flags, err, out)
		}
	}
}

// TestMigrateRunsOnSeveralMachinesAtOnce, and all of them say that it is done.
func TestMigrateRunsOnSeveralMachinesAtOnce(t *testing.T) {
	dsn := "postgres:" + postgrestest.Shared(t).Database(t)
	var running sync.WaitGroup
	for range 5 {
		running.Go(func() {
			if out, err := caddytest.MigrateCommand("--store", dsn, "--ledger", dsn); err != nil || strings.Count(out, "\n") != 3 {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	running.Wait()
	if out, err := caddytest.MigrateCommand("--store", dsn, "--ledger", dsn); err != nil || strings.Count(out, "nothing to do") != 3 {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestMigrateHasNothingToDoForSQLite, and makes no file.
func TestMigrateHasNothingToDoForSQLite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	out, err := caddytest.MigrateCommand("--store", "sqlite:"+path)
	if err != nil || !strings.HasPrefix(out, "sqlite:"+path+": nothing to do") || strings.Count(out, "\n") != 1 {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was made")
	}
}

// TestMigrateSaysWhyItCannot, without the password, and does what it can.
func TestMigrateSaysWhyItCannot(t *testing.T) {
	dsn := "postgres:" + postgrestest.Shared(t).Database(t)
	const secret = "geheim-im-dsn"
	gone := "postgres://someone:" + secret + "@127.0.0.1:1/db?connect_timeout=1"
	for _, test := range []struct {
		flags []string
		want  string
	}{
		{nil, "give --store or --ledger"},
		{[]string{"--store", "mysql:x"}, "--store: give sqlite:PATH, or postgres:DSN"},
		{[]string{"--store", "postgres:{env.FIELATO_TEST_NOWHERE}"}, "FIELATO_TEST_NOWHERE"},
		{[]string{"--store", gone, "--ledger", dsn}, "postgres://127.0.0.1:1/db"},
		{[]string{"more"}, "more"},
	} {
		out, err := caddytest.MigrateCommand(test.flags...)
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error()+out, secret) {
			t.Errorf("%v: %v\n%s", test.flags, err, out)
		}
	}
	if out, err := caddytest.MigrateCommand("--ledger", dsn); err != nil || !strings.Contains(out, "nothing to do") {
		t.Errorf("beside a database that is gone: %v\n%s", err, out)
	}
}

// TestAGatewayWorksWithTheRightsThatMigrateNames: it does not own the tables, issues and
// keeps evidence, and cannot change it. It shares access tickets, which a reader does not see.
func TestAGatewayWorksWithTheRightsThatMigrateNames(t *testing.T) {
	dsn := postgrestest.Shared(t).Database(t)
	if out, err := caddytest.MigrateCommand("--store", "postgres:"+dsn, "--ledger", "postgres:"+dsn); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	caddytest.GrantedByMigrate(t, "postgres:"+dsn)
	t.Setenv("FIELATO_TEST_DSN", strings.TrimPrefix(caddytest.AsRole(t, "postgres:"+dsn, "fielato_gateway"), "postgres:"))
	s := &caddytest.Site{T: t, URL: "http://" + caddytest.FreeAddress(t)}
	s.Load(fmt.Sprintf("{\n admin off\n persist_config off\n}\n%s {\n bind %s\n wsfev1 {\n  audit postgres {env.FIELATO_TEST_DSN} {\n   node north\n   key %s\n  }\n }\n"+
		" wsfev1_backend {\n  ledger postgres {env.FIELATO_TEST_DSN}\n }\n}\n", s.URL, caddytest.Loopback, filepath.Join(t.TempDir(), "north.key")))
	t.Cleanup(func() { _ = caddy.Stop() })
	if got := s.Post("FECAESolicitar", caddytest.Invoice(1)); got.Status != 200 || got.Header.Get("Wsfev1-Outcome") != "approved" {
		t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
	}
	out, _, err := caddytest.AuditCommand("verify", "--store", caddytest.AsRole(t, "postgres:"+dsn, "fielato_reader"))
	if err != nil || !strings.Contains(out, "\nsound") {
		t.Errorf("%v\n%s", err, out)
	}
	for role, want := range map[string]string{"fielato_gateway": "", "fielato_reader": "42501", "fielato_purger": "42501"} {
		tickets, err := ticketspostgres.Open(t.Context(), strings.TrimPrefix(caddytest.AsRole(t, "postgres:"+dsn, role), "postgres:"), ticketspostgres.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if held, err := tickets.Take(t.Context(), "name", "a", time.Minute); held != (want == "") || want != "" && !postgres.HasCode(err, want) {
			t.Errorf("%s: %v, %v", role, held, err)
		}
		if _, err := tickets.Load(t.Context(), "name"); (err == nil) != (want == "") {
			t.Errorf("%s: %v", role, err)
		}
		if err := tickets.Close(); err != nil {
			t.Error(err)
		}
	}
}
