// Package sqlite keeps the ledger of the built-in invoicing service in one SQLite
// file, for a service on one machine. It needs no cgo and no server.
//
// The life of an Update:
//
//  1. The caller queues its function and waits.
//  2. The single writer takes all queued functions, up to a bound, and begins one
//     transaction (BEGIN IMMEDIATE: other processes on the file wait their turn).
//  3. Each function runs in its own savepoint, so one that fails is undone alone.
//  4. The writer commits, then returns to the callers. The file is in WAL mode with
//     synchronous=FULL: the commit returns when the write-ahead log is on disk.
//     All callers of the group share the cost of that sync.
//
// A crash before step 4 ends loses only functions that were not acknowledged. A
// crash after it loses nothing.
//
// Reads have their own connections and never wait for the writer. Checkpoints, which
// move the write-ahead log into the main file, have one too. The writer finishes
// them between two groups, when little is left to move, so that the log can start over.
//
// No series and no number is cached between transactions, so several ledgers may be
// open on one file.
package sqlite
