// Package segment is what the stores of the evidence have in common: the form in which
// they keep records, how these are found again, compared and purged. A store brings the
// rows (Rows), its transactions, and the locks that keep others away.
//
// What a record becomes:
//
//  1. Prepare, on the goroutine that appends, hashes what the record can be found
//     by into terms (terms.go).
//  2. State.Plan packs up to 64 consecutive records into one row, a segment, compressed
//     as a whole: mostly one for a whole batch. Leaf hashes stand in the segments until a
//     tile has them; a segment that the same batch completes a tile over has none of its
//     own.
//  3. After each few thousand records the terms of these are inverted into a
//     block: 64 sorted lists that tell in which records of the block a term occurs
//     (posting.go), and which of its intents are open. That belongs to the plan of the
//     batch that fills the block, from what is in memory: a store writes it in the same
//     transaction. Records after the last block are the tail.
//  4. Search looks up the blocks that have all terms of the query, and then looks
//     at the keys of the records in question and of the tail; what passes is decoded
//     and compared with the query itself. Of what is too common to be listed by record,
//     all of a block are in question. So the answer is complete at any moment,
//     from any process, also after a crash: block and segment are one transaction.
//
// An index of the database for each key was the alternative. Authorisation codes are
// spread at random, so each new one dirties a page of its own; with blocks a record costs
// some fifteen bytes of index, written in order.
//
// Segments are compressed with S2, not zstd, because the processor is what the
// gateway runs out of first: a lot of 250 (240 kB) takes 86 µs and 38.3 kB with S2,
// 278 µs and 20.7 kB with zstd at its fastest; of 35 exchanges of one invoice each content
// takes 0.4 µs and 344 bytes with S2, 2.6 µs and 247 bytes with zstd. The records of one
// segment have much in common and are compressed together: 32 goroutines that append
// records of 1,600 bytes leave 620 bytes of SQLite's file for each, index and tree included,
// against 1,080 with each record on its own. A segment of few records has a dictionary of
// synthetic bodies instead: the content of one record, 1,409 bytes, becomes 526 bytes with
// it and 950 without. Where disk is dearer, zstd is a codec of its own (codec.go).
//
// With a content key (Vault) the content of a segment is compressed and then
// sealed with the data key of its log and period: a segment holds records of one period
// then. Everything else is as without: keys, leaf hashes and summaries are not sealed.
//
// A purge (Purge) takes content away. It changes nothing that a writer or a search
// remembers: keys, leaf hashes and summaries stay where they are.
package segment
