// Package sqlite keeps the evidence in one SQLite file, without cgo: the store of
// a gateway that stands alone.
//
// What a record becomes:
//
//  1. Prepare, on the goroutine that appends, hashes what the record can be found
//     by into terms (terms.go).
//  2. Commit, on the trail's goroutine, packs up to 64 consecutive records into
//     one row, a segment, compressed as a whole, and inserts it: mostly one
//     statement for a whole batch. The write-ahead log is synced once for each
//     Commit (synchronous=FULL).
//     A view with a trigger puts the segment and the newest checkpoint into two tables
//     by one statement. Leaf hashes stand in the segments until a tile has them; a
//     segment that the same batch completes a tile over has none of its own.
//  3. After each few thousand records the terms of these are inverted into a
//     block: 64 sorted lists that tell in which records of the block a term occurs
//     (posting.go), and which of its intents are open. That happens in the transaction of the Commit that fills the block, from what is in
//     memory: no second writer, no second sync. Records after the last block are
//     the tail.
//  4. Search looks up the blocks that have all terms of the query, and then looks
//     at the keys of the records in question and of the tail; what passes is decoded
//     and compared with the query itself. Of what is too common to be listed by record,
//     all of a block are in question. So the answer is complete at any moment,
//     from any process, also after a crash: block and segment are one transaction.
//  5. A goroutine of the store copies the write-ahead log into the file (a passive
//     checkpoint) while commits go on, and syncs it; they wait only for the copy of the
//     pages that came last. See checkpoint.go.
//
// A B-tree index for each key, SQLite's own, was the alternative. Authorisation
// codes are spread at random, so each new one dirties a page of its own; with
// blocks a record costs some fifteen bytes of index, written in order. Among 1,000,000
// records an invoice is found in 2 ms and a code in 1.3 ms, most of it for reading one
// list of each block.
//
// Segments are compressed with S2, not zstd, because the processor is what the
// gateway runs out of first: a lot of 250 (240 kB) takes 86 µs and 38.3 kB with S2,
// 278 µs and 20.7 kB with zstd at its fastest; of 35 exchanges of one invoice each content
// takes 0.4 µs and 344 bytes with S2, 2.6 µs and 247 bytes with zstd. The records of one
// segment have much in common and are compressed together: 32 goroutines that append
// records of 1,600 bytes leave 620 bytes of file for each, index and tree included,
// against 1,080 with each record on its own. A segment of few records has a dictionary of
// synthetic bodies instead: the content of one record, 1,409 bytes, becomes 526 bytes with
// it and 950 without. Where disk is dearer, zstd is a codec of its own (codec.go).
//
// With a content key (WithContentKey) the content of a segment is compressed and then
// sealed with the data key of its log and period: a segment holds records of one period
// then. Everything else is as without: keys, leaf hashes and summaries are not sealed.
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
