package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/fielato/fielato/audit/sqlite/internal/file"
)

const (
	// applicationID marks the file as ours ("FiEv"), in SQLite's own header field.
	applicationID = 0x46694576
	// schemaVersion is raised with every change that an older build cannot read:
	// of the tables, of a segment's form, of how terms are made. Versions 1 and 2 were
	// in use during development, before the first release. Version 3 had no runs.
	schemaVersion = 4
	withoutRuns   = 3
)

// schemaOf returns the tables of a version.
func schemaOf(version int) string {
	if version == withoutRuns {
		return schema
	}
	return schema + schemaRuns
}

// schemaRuns is for runs of blocks (package run), which a gateway adds to a file of version 3. Both tables are written
// once.
const schemaRuns = `
-- The columns of blocks, and the parts of the run: where each ends, and its times.
CREATE TABLE runs (
  log    INTEGER NOT NULL,
  level  INTEGER NOT NULL,
  first  INTEGER NOT NULL,
  next   INTEGER NOT NULL,
  oldest INTEGER NOT NULL,
  newest INTEGER NOT NULL,
  open   BLOB NOT NULL,
  late   BLOB NOT NULL,
  parts  BLOB NOT NULL,
  PRIMARY KEY (log, level, first)
) STRICT, WITHOUT ROWID;
-- The postings of a run. They come before its row. Not without rowids: with each list in the
-- inner nodes of the tree too, a list was found seven pages deep.
CREATE TABLE lists (
  log    INTEGER NOT NULL,
  level  INTEGER NOT NULL,
  first  INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  terms  BLOB NOT NULL,
  PRIMARY KEY (log, level, first, bucket)
) STRICT;
`

const schema = `
CREATE TABLE logs (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;
-- The keys that seal content. A number is never given twice (AUTOINCREMENT): a writer
-- may remember that of a key which a purge has destroyed meanwhile.
CREATE TABLE data_keys (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  log     INTEGER NOT NULL,
  period  INTEGER NOT NULL,
  wrapped BLOB NOT NULL,
  UNIQUE (log, period)
) STRICT;
-- Issuers whose content no purge removes; since: in seconds since 1970.
CREATE TABLE holds (
  cuit  INTEGER PRIMARY KEY,
  since INTEGER NOT NULL
) STRICT;
-- id: log << 40 | index of the first record. leaves: a hash for each record, or nothing
-- where tiles have them. Written once; but for purged and content, by a purge. content is
-- the last column: what does not need it does not read it.
-- purged: 0 if all content is there, 1 if none, 2 if some. 0 takes no byte.
-- key: what content is sealed with, NULL for nothing. The writer's connection enforces
-- it (foreign_keys): nothing is ever sealed with a key that a purge has destroyed.
CREATE TABLE segments (
  id        INTEGER PRIMARY KEY,
  purged    INTEGER NOT NULL DEFAULT 0,
  key       INTEGER REFERENCES data_keys (id),
  keys      BLOB NOT NULL,
  leaves    BLOB NOT NULL,
  summaries BLOB NOT NULL,
  content   BLOB NOT NULL
) STRICT;
-- The records first <= index < next are in postings; oldest and newest are their
-- times, in microseconds since 1970. open: the intents of the block without an outcome in
-- it. late: the intents from before it that have one in it.
CREATE TABLE blocks (
  log    INTEGER NOT NULL,
  first  INTEGER NOT NULL,
  next   INTEGER NOT NULL,
  oldest INTEGER NOT NULL,
  newest INTEGER NOT NULL,
  open   BLOB NOT NULL,
  late   BLOB NOT NULL,
  PRIMARY KEY (log, first)
) STRICT, WITHOUT ROWID;
CREATE TABLE postings (
  log    INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  first  INTEGER NOT NULL,
  terms  BLOB NOT NULL,
  PRIMARY KEY (log, bucket, first)
) STRICT, WITHOUT ROWID;
CREATE TABLE secrets (
  name  TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE settings (
  name  TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;
-- Full tiles of the tree. Written once, never changed.
CREATE TABLE tiles (
  log    INTEGER NOT NULL,
  level  INTEGER NOT NULL,
  n      INTEGER NOT NULL,
  hashes BLOB NOT NULL,
  PRIMARY KEY (log, level, n)
) STRICT, WITHOUT ROWID;
-- The newest of each log.
CREATE TABLE checkpoints (
  log  INTEGER PRIMARY KEY,
  note BLOB NOT NULL
) STRICT;
-- A segment and the checkpoint after it in one statement, which is a transaction by
-- itself.
CREATE VIEW appends AS SELECT s.id, s.key, s.keys, s.leaves, s.summaries, s.content, c.log, c.note
  FROM segments s JOIN checkpoints c ON c.log = s.id >> 40;
CREATE TRIGGER append INSTEAD OF INSERT ON appends BEGIN
  INSERT INTO segments (id, key, keys, leaves, summaries, content)
    VALUES (new.id, new.key, new.keys, new.leaves, new.summaries, new.content);
  INSERT INTO checkpoints VALUES (new.log, new.note) ON CONFLICT DO UPDATE SET note = excluded.note;
END;
`

// checkSchema checks that the file is one of ours that this build can read, and returns its version: 0 if there
// is nothing in it yet.
func checkSchema(ctx context.Context, conn *sql.Conn, path string) (version int, err error) {
	var application, tables int
	for pragma, value := range map[string]*int{
		"PRAGMA application_id": &application, "PRAGMA user_version": &version,
		"SELECT count(*) FROM sqlite_schema": &tables,
	} {
		if err := conn.QueryRowContext(ctx, pragma).Scan(value); err != nil {
			return 0, file.Explain(path, "opening", err)
		}
	}
	switch {
	case tables == 0 && application == 0:
		return 0, nil
	case application != applicationID:
		return 0, fmt.Errorf(
			"%s is a SQLite database of another program: give the path of a trail; a gateway also takes one where there is no file yet", path)
	case version > schemaVersion:
		return 0, fmt.Errorf(
			"%s was written by a newer Fielato (format %d, this build reads %d): upgrade this one",
			path, version, schemaVersion)
	case version < withoutRuns:
		return 0, fmt.Errorf(
			"%s was written by a Fielato from before the first release (format %d, this build reads %d): keep the file, and give the path of a new one",
			path, version, schemaVersion)
	}
	return version, nil
}

// createSchema brings a file of the version, 0 for an empty one, to the present one: all of it or nothing.
func createSchema(ctx context.Context, conn *sql.Conn, path string, version int) error {
	script := schemaRuns
	if version == 0 {
		script = schema + schemaRuns
	}
	script = fmt.Sprintf("BEGIN IMMEDIATE;%sPRAGMA application_id=%d;PRAGMA user_version=%d;COMMIT;", script, applicationID, schemaVersion)
	if _, err := conn.ExecContext(ctx, script); err != nil {
		_, _ = conn.ExecContext(ctx, "ROLLBACK") // the next opening tries again
		return file.Explain(path, "creating the tables of", err)
	}
	return nil
}
