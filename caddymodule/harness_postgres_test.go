package caddymodule_test

import (
	"bytes"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"

	"github.com/fielato/fielato/internal/postgres/postgrestest"
)

// emptyDatabase has the tables and nothing in them.
func emptyDatabase(t *testing.T) string {
	t.Helper()
	dsn := "postgres:" + postgrestest.Shared(t).Database(t)
	if out, err := migrateCommand("--store", dsn); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dsn
}

// stoppedTrail is that of a gateway on SQLite that was stopped, with a checkpoint and a proof
// that somebody has kept.
func stoppedTrail(t *testing.T) (s *site, kept string) {
	t.Helper()
	s = evidence(t)
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	out, _, err := auditCommand("checkpoint", "--store", "sqlite:"+s.store)
	if err != nil {
		t.Fatal(err)
	}
	kept = filepath.Join(t.TempDir(), "kept")
	if err := os.WriteFile(kept, []byte(out), 0o600); err != nil {
		t.Fatal(err)
	}
	return s, kept
}

// migrateCommand runs `wsfev1 migrate …` as Caddy would, in this process.
func migrateCommand(arguments ...string) (out string, err error) {
	root := &cobra.Command{Use: "wsfev1", SilenceUsage: true, SilenceErrors: true}
	caddycmd.Commands()["wsfev1"].CobraFunc(root)
	var stdout bytes.Buffer
	root.SetOut(&stdout)
	root.SetErr(&stdout)
	root.SetArgs(append([]string{"migrate"}, arguments...))
	err = root.Execute()
	return stdout.String(), err
}

// grantedByMigrate makes the roles that the help of migrate names, of this database alone, and
// gives them the rights that it names. asRole returns the store for one of them.
func grantedByMigrate(t *testing.T, store string) {
	t.Helper()
	help, err := migrateCommand("--help")
	if err != nil {
		t.Fatal(err)
	}
	var script []string
	for line := range strings.Lines(help) {
		if text, ok := strings.CutPrefix(line, "  "); ok && regexp.MustCompile(`^(CREATE|GRANT|\t)`).MatchString(text) {
			script = append(script, strings.Replace(text, " LOGIN;", " LOGIN PASSWORD '"+postgrestest.Password+"';", 1))
		}
	}
	name := databaseIn(t, store)
	own := regexp.MustCompile(`\bfielato_(gateway|reader|purger)\b`).ReplaceAllString(strings.Join(script, ""), "${0}_"+name)
	postgrestest.Shared(t).Exec(t, name, own)
}

func asRole(t *testing.T, store, role string) string {
	t.Helper()
	address, err := url.Parse(strings.TrimPrefix(store, "postgres:"))
	if err != nil {
		t.Fatal(err)
	}
	address.User = url.UserPassword(role+"_"+databaseIn(t, store), postgrestest.Password)
	return "postgres:" + address.String()
}

// databaseIn returns the name of the database of a store.
func databaseIn(t *testing.T, store string) string {
	t.Helper()
	address, err := url.Parse(strings.TrimPrefix(store, "postgres:"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(address.Path, "/")
}
