// Package postgres keeps the evidence in PostgreSQL: the store of several gateways on one
// database, each with a log of its own.
//
// What a record becomes, and how it is found again, is in package segment. What is
// PostgreSQL's own:
//
//  1. Commit sends its transaction in two round trips: BEGIN and all statements in one, COMMIT
//     in the other. There is nothing to ask between.
//  2. The first statement locks the row of the log in audit_leases and looks who has claimed
//     it (Claim). So commits to one log come one after the other, whoever makes them. Of two
//     writers who both believe to be the one, the second fails by the primary key, which
//     nobody can argue with: each commit inserts the checkpoint after the one that it knows.
//  3. Where the connection is lost before COMMIT was sent, the transaction is run again; where
//     it is lost after, the outcome is uncertain. Head waits for the row of the log: as long
//     as the server is at work on that commit, it has it locked. What Head tells is final.
//  4. A search takes its view by one statement and reads rows that never change and never go:
//     it needs no transaction. No connection is taken while the consumer works.
//
// Among 1,000,000 records an invoice is found in a few milliseconds, most of it for reading
// one list of each block (BenchmarkSearch).
//
// The SQL is what PostgreSQL, CockroachDB, YugabyteDB and Citus document: no advisory locks,
// no LISTEN, no triggers, no sequences, a primary key for each table. It is tested on
// PostgreSQL alone.
//
// # Rights
//
// The rows of the trail are written once. The role of a gateway needs INSERT and SELECT on
// them and nothing else (GatewayGrants); so whoever has a gateway's password can add to the
// trail and cannot change it. That is why each commit leaves a checkpoint of its own, of some
// 250 bytes, instead of replacing the one before. The tables are to belong to a role that no
// gateway uses, which runs the migrations. Who reads alone has ReaderGrants, who purges
// PurgerGrants.
//
// The superuser, and the owner of the tables, can change anything. Verify tells.
//
// # Claims
//
// A claim is a lease of 15 seconds by the server's clock, renewed each 5. A process takes its
// own for ended 15 seconds after it has sent the last renewal that succeeded, by its own
// clock that runs on: that is before the server does, however wrong the clocks are. Each
// commit compares the owner and the number of times that the lease has changed hands, in its
// own transaction: a process that was paused cannot write after another has taken over. After
// a crash another process of the same name waits for at most those 15 seconds.
//
// In the same way, by rows of audit_series and the server's clock, one gateway at a time
// issues in a series (audit.Leases).
//
// A transaction whose client is gone without a word ends after ten seconds
// (idle_in_transaction_session_timeout); until then the log waits.
//
// A server that confirms a commit before it is safe (synchronous_commit = off, or a failover
// to a replica that lags behind) loses acknowledged records. Use synchronous_commit = on, and
// a synchronous replica where there is a failover. A log that has lost its end is told by the
// trail (audit.ErrConflict) and by a checkpoint that was kept elsewhere.
//
// # Purging
//
// A Purger takes content away by UPDATE, in transactions of at most 256 KiB, and destroys data
// keys by DELETE, beside gateways that write. Commits wait for a purge only while it destroys
// keys.
//
// PostgreSQL does not overwrite what was removed. Until VACUUM has come by, the old rows are
// in the tables' files, and after it in their free space until something else is written
// there; also in the write-ahead log, in its archive, on replicas and in backups. So after a
// purge that has to be final an operator runs
//
//	VACUUM (FULL) audit_segments, audit_data_keys;
//
// which writes the tables anew, keeps gateways waiting meanwhile, and gives the room back to
// the disk; a plain VACUUM lets the room be used again. Then come the archive and the backups
// from before, which have to go too. With a content key it is the destroyed data key that
// counts: content is lost with it wherever a copy of it lies, but only once no copy of the
// row of the key is left either. PostgreSQL has no way to show that nothing is left on a
// disk: encrypt the disk as well.
package postgres
