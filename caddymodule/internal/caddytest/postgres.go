package caddytest

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

// EmptyDatabase has the tables and nothing in them.
func EmptyDatabase(t *testing.T) string {
	t.Helper()
	dsn := "postgres:" + postgrestest.Shared(t).Database(t)
	if out, err := MigrateCommand("--store", dsn); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dsn
}

// StoppedTrail is the trail of a gateway on SQLite that was stopped, with a checkpoint and a proof that
// somebody has kept.
func StoppedTrail(t *testing.T) (s *Site, kept string) {
	t.Helper()
	s = Evidence(t)
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	out, _, err := AuditCommand("checkpoint", "--store", "sqlite:"+s.Store)
	if err != nil {
		t.Fatal(err)
	}
	kept = filepath.Join(t.TempDir(), "kept")
	if err := os.WriteFile(kept, []byte(out), 0o600); err != nil {
		t.Fatal(err)
	}
	return s, kept
}

// MigrateCommand runs `wsfev1 migrate …` as Caddy would, in this process.
func MigrateCommand(arguments ...string) (out string, err error) {
	root := &cobra.Command{Use: "wsfev1", SilenceUsage: true, SilenceErrors: true}
	caddycmd.Commands()["wsfev1"].CobraFunc(root)
	var stdout bytes.Buffer
	root.SetOut(&stdout)
	root.SetErr(&stdout)
	root.SetArgs(append([]string{"migrate"}, arguments...))
	err = root.Execute()
	return stdout.String(), err
}

// GrantedByMigrate makes the roles that the help of migrate names, of this database alone, and
// gives them the rights that it names. AsRole returns the store for one of them.
func GrantedByMigrate(t *testing.T, store string) {
	t.Helper()
	help, err := MigrateCommand("--help")
	if err != nil {
		t.Fatal(err)
	}
	var script []string
	for line := range strings.Lines(help) {
		if text, ok := strings.CutPrefix(line, "  "); ok && regexp.MustCompile(`^(CREATE|GRANT|\t)`).MatchString(text) {
			script = append(script, strings.Replace(text, " LOGIN;", " LOGIN PASSWORD '"+postgrestest.Password+"';", 1))
		}
	}
	name := DatabaseIn(t, store)
	own := regexp.MustCompile(`\bfielato_(gateway|reader|purger)\b`).ReplaceAllString(strings.Join(script, ""), "${0}_"+name)
	postgrestest.Shared(t).Exec(t, name, own)
}

// AsRole is the address of a store with one of the roles that GrantedByMigrate makes.
func AsRole(t *testing.T, store, role string) string {
	t.Helper()
	address, err := url.Parse(strings.TrimPrefix(store, "postgres:"))
	if err != nil {
		t.Fatal(err)
	}
	address.User = url.UserPassword(role+"_"+DatabaseIn(t, store), postgrestest.Password)
	return "postgres:" + address.String()
}

// DatabaseIn returns the name of the database of a store.
func DatabaseIn(t *testing.T, store string) string {
	t.Helper()
	return postgrestest.DatabaseOf(t, strings.TrimPrefix(store, "postgres:"))
}
