// Package sqlite keeps the evidence in one SQLite file, without cgo: the store of
// a gateway that stands alone.
//
// What a record becomes, and how it is found again, is in package segment. What is
// SQLite's own:
//
//  1. Commit, on the trail's goroutine, inserts the segment of the batch: mostly one
//     statement for a whole batch. The write-ahead log is synced once for each
//     Commit (synchronous=FULL).
//     A view with a trigger puts the segment and the newest checkpoint into two tables
//     by one statement.
//  2. The commit that fills a block writes it in its own transaction: no second writer, no
//     second sync.
//  3. A goroutine of the store copies the write-ahead log into the file (a passive
//     checkpoint) while commits go on, and syncs it; they wait only for the copy of the
//     pages that came last. See checkpoint.go.
//
// Among 1,000,000 records an invoice is found in 2 ms and a code in 1.3 ms, most of it for
// reading one list of each block.
//
// With a content key (WithContentKey) content is sealed.
//
// A purge (Purger) takes content away, in transactions of at most 256 KiB on a
// connection of its own, beside a gateway that writes. It changes nothing that the
// writer or a search remembers: ids, keys, leaf hashes and summaries stay. What is
// removed is overwritten with zeros, in the file and in the write-ahead log, and its
// room is used again; the file gets smaller by Compact alone.
//
// Files: beside the database stand SQLite's -wal and -shm, which stay there so
// that readers need to create nothing, and .lock, which keeps a second writer
// away, with .lock.holder, which tells that one who was first; .purge.lock keeps a second
// purge away. All of them belong to the evidence while the gateway runs: copy with
// SQLite's own backup, not file by file.
package sqlite
