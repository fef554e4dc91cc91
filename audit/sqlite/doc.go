// Package sqlite keeps the evidence in one SQLite file, without cgo: the store of a single
// gateway. What a record becomes, and how it is found again, is in package segment.
//
// The life of a batch:
//
//  1. Commit, on the trail's goroutine, inserts its segment and the newest checkpoint by one
//     statement, through a view with a trigger. A batch that fills a block writes the block
//     in the same transaction. The write-ahead log is synced once (synchronous=FULL).
//     The paths must still name the open files then (attached.go).
//  2. A goroutine of the store copies the write-ahead log into the file while commits continue,
//     and syncs it. Commits wait only for the last pages (checkpoint.go).
//  3. Another goroutine merges the blocks of the search index into runs (merger.go). It writes in
//     transactions of some 200 kB, between commits.
//  4. A purge (Purger) removes content while a gateway writes, on a connection of its own, in
//     transactions of at most 256 KiB. It overwrites the content with zeros, in the file
//     and in the write-ahead log. Only Compact makes the file smaller.
//
// The store holds a lock (.lock) from Open to Close, which keeps a second writer away;
// .lock.holder names the process that has it, and .purge.lock keeps a second purge away.
// SQLite's -wal and -shm stay beside the database, so that readers create nothing. All of them
// belong to the evidence while the gateway runs: copy with SQLite's own backup, not file by
// file.
//
// Backup is in docs/operating.md#backup.
package sqlite
