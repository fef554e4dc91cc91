// Package sqlite keeps the ledger of the built-in invoicing service in one SQLite
// file: the form for one machine. It needs no cgo and no server.
//
// The way of an Update:
//
//  1. The caller queues its function and waits.
//  2. The one writer takes everything that waits, up to a bound, and begins one
//     transaction (BEGIN IMMEDIATE: other processes on the file wait their turn).
//  3. Each function runs in its own savepoint: one that fails is undone alone.
//  4. The writer commits. The file is in WAL mode with synchronous=FULL, so the
//     commit returns when the write-ahead log is on the disk, and only then are
//     the callers told. Many callers share the cost of that one sync.
//
// A crash before step 4 ends loses functions that nobody was told about; a crash
// after it loses nothing.
//
// Reads have their own connections and never wait for the writer. Checkpoints,
// which move the write-ahead log into the main file, run on a connection of their
// own; the writer finishes them between two groups, when almost nothing is left to
// move, so that the log can start over.
//
// Nothing about series or numbers is kept in memory between two transactions, so
// two ledgers may be open on one file.
package sqlite
