// Package segment is the common part of the stores of the evidence: the form in which they
// keep records, and how these are found again, compared and purged. A store brings the rows
// (Rows), its transactions, and the locks that keep others away.
//
// The life of a record:
//
//  1. Prepare, on the goroutine that appends, hashes its search keys into terms.
//  2. State.Plan packs up to 64 consecutive records of a batch into one row, a segment. Its
//     parts are compressed as a whole, and its content is sealed if there is a content key
//     (Vault). Leaf hashes stand in the segments until a tile has them.
//  3. Each few thousand records their terms are inverted into a block: 64 sorted lists of the
//     records in which a term occurs, and the intents that are open. The transaction of the
//     batch that fills the block writes it. Records after the last block are the tail.
//     Later blocks are merged into runs (package run), so that a search reads few lists.
//  4. Search looks up the blocks that have all terms of the query, then the keys of the records
//     in question and of the tail. What passes is decoded and compared with the query. The
//     answer is complete at any moment, from any process, also after a crash.
//  5. A purge (Purge) removes content. Keys, leaf hashes and summaries stay as they are.
//
// The package opens no connection and no file, and starts no goroutine.
//
// The contents of a record are in docs/evidence.md.
package segment
