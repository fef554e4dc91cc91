// Package term makes the terms by which a search finds records: hashes of a few bits, of whatever a record can be found
// by. It knows nothing of records.
//
// The receiver of an invoice is content, and a number of eleven digits is soon guessed. So terms of receivers are made
// with a key (Key). They are also short: about one in a million receivers has the same term, so that of all CUITs and
// DNIs hundreds fit a term that a purge has left behind. A search looks at the content of each record that it finds,
// and at one record in a million in vain.
package term
