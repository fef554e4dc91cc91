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
// own transaction: a process that was paused cannot write after another has taken over. Where
// that one has written, the trail of the first is at its end (audit.ErrConflict): it has to be
// opened again. After a crash another process of the same name waits for at most those 15 seconds.
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
//
// # Planning
//
// What follows plans a hundred million exchanges a day from what was measured on one machine
// with two processors, on which server, gateways, service and clients ran together, with fsync
// on (BenchmarkAppend here, BenchmarkShared in caddymodule). Measure again on yours: these
// figures are small because everything shared two processors.
//
//	durable records, 64 writers a node, on 1, 2 and 3 nodes   24,300, 29,900 and 33,800 a second
//	invoices, 64 series, through one gateway                  4,280 a second
//	through three, each series at one gateway                 2,980 a second
//	through three, each invoice at any of them                160 a second
//	an invoice of 0.8 kB, intent and outcome, in the tables   710 to 820 bytes
//	the same in the write-ahead log                           700 to 840 bytes
//
// Load: 100,000,000 a day are 1,160 a second, and 5,800 where the busiest hour has five times
// the mean. An invoice is two records: 11,600 records a second, a third of what was measured.
//
// Gateways: an exchange that issues takes about 0.25 ms of a processor in its gateway. 5,800 a
// second are one and a half processors; three gateways of two processors each bear it with one
// of them away.
//
// Series belong together: a load balancer should send an issuer (best by a header or a path of
// its own, else by the client's address) to the same gateway as long as that lives. A series that
// is issued at another gateway each time moves a lease each time, which the figures above show.
// When a gateway dies its series stand still for 10 seconds at most (BenchmarkFailover).
//
// Disk: 100,000,000 invoices of that size are 75 GB of tables and 80 GB of write-ahead log a
// day, 27 TB of tables a year, and the same again for each replica. Bodies are what counts; they
// are compressed, a lot of 250 invoices (230 kB) to some 49 kB. A purge takes the content away
// and leaves the summaries, the hashes and the index.
//
// Partitions: a log is the natural one. It is complete in itself, with its own tree and its own
// checkpoints, and stands first in the primary key of each table that grows. So give each node
// a new log for each period (node gateway-1-2027), with partitions of its own
// (testdata/partition.sql, on which the conformance suite is run). Exactly once holds across logs:
// what is asked for is looked up in all of them. A log of a period that is over is copied
// elsewhere (audit copy), verified there against its last checkpoint, and its partitions are
// detached: then nobody has to delete, and VACUUM has nothing to freeze again.
//
// Numbers of logs: a search that names none goes through each, and so does a gateway that has
// nothing about a series in memory. Keep some dozens in a database, not thousands.
//
// What breaks first, in this order:
//
//  1. The disk's room, and with it the time of a backup: hence the partitions.
//  2. The sync of the server's write-ahead log: each commit of each node waits for one. More
//     clients make larger commits, not more of them, so the latency grows before the rate
//     falls. A synchronous replica adds its way there and back to each.
//  3. Freezing: rows that are never changed are visited once by VACUUM, all the same. Let
//     autovacuum run often on the tables that grow (autovacuum_vacuum_insert_scale_factor).
//  4. Connections: a gateway takes 16 at most (pool_max_conns).
//
// Beyond what one server writes, divide by issuer: two databases with gateways of their own
// know nothing of each other, and no series needs both.
package postgres
