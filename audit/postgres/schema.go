package postgres

import "github.com/fielato/fielato/internal/postgres"

// Migrations are the tables of the evidence. Their names begin with audit_, so that they
// may share a schema with the tables of others.
var Migrations = &postgres.Migrations{Component: "audit", Steps: []string{schema1, schema2, schema3, schema4}}

// Each row names its log by its text: there is no table of numbers that could be changed. The
// grants separate the tables that are written once from the rest (grants.go).
const schema1 = `
-- Who may do alone what one alone may do: write a log, purge. A commit locks the row of its
-- log: so it ends before another begins, and before Head tells how far the log has come.
-- name: write and the log's name, or purge. owner: a random number of who has it, fence: how
-- often it has changed hands. since, expires: in microseconds since 1970, by the server's
-- clock.
CREATE TABLE audit_leases (
	name    TEXT PRIMARY KEY,
	holder  TEXT NOT NULL,
	owner   BYTEA NOT NULL,
	fence   INT8 NOT NULL,
	since   INT8 NOT NULL,
	expires INT8 NOT NULL
);
-- The keys that seal content. The id is random: no number is given twice, as a writer may
-- remember that of a key which a purge has destroyed meanwhile.
CREATE TABLE audit_data_keys (
	id      INT8 PRIMARY KEY,
	log     TEXT NOT NULL,
	period  INT8 NOT NULL,
	wrapped BYTEA NOT NULL,
	UNIQUE (log, period)
);
-- Issuers whose content no purge removes; since: in seconds since 1970.
CREATE TABLE audit_holds (
	cuit  INT8 PRIMARY KEY,
	since INT8 NOT NULL
);
-- first: the index of the first record. leaves: a hash for each record, or nothing where
-- tiles have them. Written once; but for purged, key and content, by a purge.
-- purged: 0 if all content is there, 1 if none, 2 if some. key: what content is sealed with.
CREATE TABLE audit_segments (
	log       TEXT NOT NULL,
	first     INT8 NOT NULL,
	purged    INT8 NOT NULL DEFAULT 0,
	key       INT8,
	keys      BYTEA NOT NULL,
	leaves    BYTEA NOT NULL,
	summaries BYTEA NOT NULL,
	content   BYTEA NOT NULL,
	PRIMARY KEY (log, first)
);
-- The records first <= index < next are in postings; oldest and newest are their times, in
-- microseconds since 1970. open: the intents of the block without an outcome in it. late: the
-- intents from before it that have one in it.
CREATE TABLE audit_blocks (
	log    TEXT NOT NULL,
	first  INT8 NOT NULL,
	next   INT8 NOT NULL,
	oldest INT8 NOT NULL,
	newest INT8 NOT NULL,
	open   BYTEA NOT NULL,
	late   BYTEA NOT NULL,
	PRIMARY KEY (log, first)
);
CREATE TABLE audit_postings (
	log    TEXT NOT NULL,
	bucket INT8 NOT NULL,
	first  INT8 NOT NULL,
	terms  BYTEA NOT NULL,
	PRIMARY KEY (log, bucket, first)
);
-- Full tiles of the tree.
CREATE TABLE audit_tiles (
	log    TEXT NOT NULL,
	level  INT8 NOT NULL,
	n      INT8 NOT NULL,
	hashes BYTEA NOT NULL,
	PRIMARY KEY (log, level, n)
);
-- One for each commit, counted from 1: the last is that over the whole log. Of two writers
-- who take the same number the second fails.
CREATE TABLE audit_checkpoints (
	log    TEXT NOT NULL,
	number INT8 NOT NULL,
	note   BYTEA NOT NULL,
	PRIMARY KEY (log, number)
);
CREATE TABLE audit_secrets (
	name  TEXT PRIMARY KEY,
	value BYTEA NOT NULL
);
CREATE TABLE audit_settings (
	name  TEXT PRIMARY KEY,
	value BYTEA NOT NULL
)`

// schema2 is for the leases on series (audit.Leases): a name is held by holder, its last holder
// if it is not held.
const schema2 = `
CREATE TABLE audit_series (
	name       TEXT PRIMARY KEY,
	holder     TEXT NOT NULL,
	held       BOOL NOT NULL,
	wanted     BOOL NOT NULL,
	generation INT8 NOT NULL,
	expires    TIMESTAMPTZ NOT NULL
)`

// schema3 is for runs of blocks (package run). Both tables are written once.
const schema3 = `
-- The columns of audit_blocks, and the parts of the run: where each ends, and its times.
CREATE TABLE audit_runs (
	log    TEXT NOT NULL,
	level  INT8 NOT NULL,
	first  INT8 NOT NULL,
	next   INT8 NOT NULL,
	oldest INT8 NOT NULL,
	newest INT8 NOT NULL,
	open   BYTEA NOT NULL,
	late   BYTEA NOT NULL,
	parts  BYTEA NOT NULL,
	PRIMARY KEY (log, level, first)
);
-- The postings of a run. They come before its row.
CREATE TABLE audit_lists (
	log    TEXT NOT NULL,
	level  INT8 NOT NULL,
	first  INT8 NOT NULL,
	bucket INT8 NOT NULL,
	terms  BYTEA NOT NULL,
	PRIMARY KEY (log, level, first, bucket)
)`

// schema4 is for leases that are taken and returned with records. waiting: the processes that wait for the
// name, in their order. last: the last number of the name, as of the generation in counted.
const schema4 = `
ALTER TABLE audit_series ADD COLUMN waiting TEXT[] NOT NULL DEFAULT '{}';
ALTER TABLE audit_series ADD COLUMN last INT8 NOT NULL DEFAULT 0;
ALTER TABLE audit_series ADD COLUMN counted INT8 NOT NULL DEFAULT 0`
