// Package run is the search index of a log: which records have a term. It knows no record and no
// table.
//
// A block has the postings of some 2,048 consecutive records in 64 sorted lists, the buckets. Blocks
// are runs of level 0. A run of level k+1 is merged from 16 consecutive runs of level k, its parts,
// and has 16 times as many buckets. So its lists stay as short as a block's. A posting needs four
// bits more, for the number of the part, and four less, since the bucket implies them: it always has
// five bytes, and merging loses nothing. A search reads one list of each run that is part of no
// other: at most 15 on each level.
//
// Runs are written once, like all of a log, and their parts stay. So rows of one moment go together
// with rows of a later one, a reader needs no transaction, and a writer no right to remove. Each
// level takes some 25 bytes a record, and writes them once. A level-1 run also leads to its blocks,
// and a larger one to its parts: Row.Parts has the end and the times of each.
//
// A merge (Merge) has bounded steps, each of which writes some lists in a transaction. The last one
// also writes the row, and only then does a search see the run. Where an interrupted merge has to
// continue is seen from its lists.
package run
