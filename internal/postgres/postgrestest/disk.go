package postgrestest

import "testing"

// FillDisk makes the server answer inserts into a table of a database as if its disk were full
// (SQLSTATE 53100): to the statement, or only to the commit. The function that it returns
// ends that.
func (c *Cluster) FillDisk(tb testing.TB, database, table string, atCommit bool) (end func()) {
	tb.Helper()
	trigger := "CREATE TRIGGER disk_is_full BEFORE INSERT ON " + table + " FOR EACH ROW"
	if atCommit {
		trigger = "CREATE CONSTRAINT TRIGGER disk_is_full AFTER INSERT ON " + table + " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW"
	}
	c.Exec(tb, database, `CREATE OR REPLACE FUNCTION disk_is_full() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$; `+trigger+" EXECUTE FUNCTION disk_is_full()")
	return func() {
		tb.Helper()
		c.Exec(tb, database, "DROP TRIGGER disk_is_full ON "+table)
	}
}
