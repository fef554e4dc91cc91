-- Divides the tables that grow into partitions, by log. Run it as the owner of the tables,
-- after the migration and before the first gateway starts, or while none runs: it copies what
-- is there. Grant the rights again afterwards.
--
-- A log that begins gets partitions of its own beforehand, for each of the seven tables:
--
--	CREATE TABLE audit_segments_1_2027 PARTITION OF audit_segments FOR VALUES IN ('gateway-1-2027');
--
-- and is in those by default without. One that is complete and kept elsewhere is taken out by
--
--	ALTER TABLE audit_segments DETACH PARTITION audit_segments_1_2027 CONCURRENTLY;
BEGIN;
ALTER TABLE audit_segments RENAME TO audit_segments_whole;
CREATE TABLE audit_segments (LIKE audit_segments_whole INCLUDING ALL) PARTITION BY LIST (log);
CREATE TABLE audit_segments_default PARTITION OF audit_segments DEFAULT;
INSERT INTO audit_segments SELECT * FROM audit_segments_whole;
DROP TABLE audit_segments_whole;
ALTER TABLE audit_blocks RENAME TO audit_blocks_whole;
CREATE TABLE audit_blocks (LIKE audit_blocks_whole INCLUDING ALL) PARTITION BY LIST (log);
CREATE TABLE audit_blocks_default PARTITION OF audit_blocks DEFAULT;
INSERT INTO audit_blocks SELECT * FROM audit_blocks_whole;
DROP TABLE audit_blocks_whole;
ALTER TABLE audit_postings RENAME TO audit_postings_whole;
CREATE TABLE audit_postings (LIKE audit_postings_whole INCLUDING ALL) PARTITION BY LIST (log);
CREATE TABLE audit_postings_default PARTITION OF audit_postings DEFAULT;
INSERT INTO audit_postings SELECT * FROM audit_postings_whole;
DROP TABLE audit_postings_whole;
ALTER TABLE audit_runs RENAME TO audit_runs_whole;
CREATE TABLE audit_runs (LIKE audit_runs_whole INCLUDING ALL) PARTITION BY LIST (log);
CREATE TABLE audit_runs_default PARTITION OF audit_runs DEFAULT;
INSERT INTO audit_runs SELECT * FROM audit_runs_whole;
DROP TABLE audit_runs_whole;
ALTER TABLE audit_lists RENAME TO audit_lists_whole;
CREATE TABLE audit_lists (LIKE audit_lists_whole INCLUDING ALL) PARTITION BY LIST (log);
CREATE TABLE audit_lists_default PARTITION OF audit_lists DEFAULT;
INSERT INTO audit_lists SELECT * FROM audit_lists_whole;
DROP TABLE audit_lists_whole;
ALTER TABLE audit_tiles RENAME TO audit_tiles_whole;
CREATE TABLE audit_tiles (LIKE audit_tiles_whole INCLUDING ALL) PARTITION BY LIST (log);
CREATE TABLE audit_tiles_default PARTITION OF audit_tiles DEFAULT;
INSERT INTO audit_tiles SELECT * FROM audit_tiles_whole;
DROP TABLE audit_tiles_whole;
ALTER TABLE audit_checkpoints RENAME TO audit_checkpoints_whole;
CREATE TABLE audit_checkpoints (LIKE audit_checkpoints_whole INCLUDING ALL) PARTITION BY LIST (log);
CREATE TABLE audit_checkpoints_default PARTITION OF audit_checkpoints DEFAULT;
INSERT INTO audit_checkpoints SELECT * FROM audit_checkpoints_whole;
DROP TABLE audit_checkpoints_whole;
COMMIT;
