package postgrestest

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// Dump writes a whole database into a file by pg_dump, while it is used.
func (c *Cluster) Dump(tb testing.TB, database, file string) {
	tb.Helper()
	c.Run(tb, "pg_dump", "--format=custom", "--file="+file, "--dbname="+c.DSN(database))
}

// Restore replaces a database by what Dump has written: nobody may use it. more are options of
// pg_restore.
func (c *Cluster) Restore(tb testing.TB, database, file string, more ...string) {
	tb.Helper()
	c.Empty(tb, database)
	c.Run(tb, "pg_restore", append(more, "--exit-on-error", "--dbname="+c.DSN(database), file)...)
}

// Empty replaces a database by an empty one of the same name.
func (c *Cluster) Empty(tb testing.TB, database string) {
	tb.Helper()
	c.Exec(tb, "postgres", "DROP DATABASE IF EXISTS "+database+" WITH (FORCE)")
	c.Exec(tb, "postgres", "CREATE DATABASE "+database)
}

// Run runs a program of PostgreSQL's clients, and returns what it prints.
func (c *Cluster) Run(tb testing.TB, program string, arguments ...string) string {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), filepath.Join(c.folder, "bin", program), arguments...) //nolint:gosec // what a test has found installed
	out, err := cmd.CombinedOutput()
	if err != nil {
		tb.Fatalf("%s: %v\n%s", program, err, out)
	}
	return string(out)
}
