// Package postgres keeps the evidence in PostgreSQL: the store of several gateways on one
// database, each with a log of its own. What a record becomes, and how it is found again, is in
// package segment. Operators read docs/several-gateways.md: rights, purges, planning.
//
// The life of a batch:
//
//  1. Commit sends its transaction in two round trips: BEGIN and all statements in one, COMMIT in
//     the other.
//  2. The first statement locks the row of the log in audit_leases and checks the claim (Claim),
//     so that commits to one log follow each other. Each commit inserts the checkpoint after the
//     one that it knows: if two writers both believe to have the log, the primary key makes the
//     second one fail.
//  3. If the connection is lost before COMMIT was sent, the transaction is run again; after
//     that, its outcome is uncertain. Head waits for the row of the log, which the server locks
//     while it works on that commit, so its answer is final.
//
// A claim is a lease of 15 seconds by the server's clock, renewed every 5 seconds by a goroutine
// that Release or Close ends. The process counts from before it asked, by its own clock, so that
// it gives a lease up before the server does. A commit compares the lease in its own
// transaction: a process that was paused cannot write after another has taken over
// (audit.ErrConflict).
//
// Series (audit.Leases) are rows of audit_series. A commit returns the leases of its outcomes and takes those
// of its intents by one statement, behind the lock on the log and before its records. It locks the rows in the
// order of their names, as every statement does that locks several: no two of them can wait for each other.
// A row is taken if it is free, settled and at the number before the intent's. Where one cannot be had, the
// transaction is undone, and the writer commits the others without it.
//
// Who must know more, or waits for another process, takes the row by a statement of its own (TakeLease). It
// gets the last number with it. If the row was not settled, only the logs show what was done.
//
// Death is certain when the lease has run out by the server's clock: a process extends the leases of requests
// that take longer, every half second, and stops sending a second before they run out by its own clock. A lease lasts
// 4 seconds (package once). What a process has returned before it died holds nobody up.
//
// A goroutine of the store merges the blocks of the search index into runs (merger.go). It only adds
// rows, as all of a gateway does, and no commit waits for it.
//
// A search reads rows that never change by one statement, without a transaction. The SQL is what
// PostgreSQL, CockroachDB, YugabyteDB and Citus document: no advisory locks, no LISTEN, no
// triggers, no sequences, a primary key for each table. It is tested on PostgreSQL alone.
package postgres
