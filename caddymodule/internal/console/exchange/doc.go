// Package exchange is the page of one record: what happened, step by step, and what was said.
//
// An exchange is in several records: an intent, an outcome, the gateway's own questions, a settlement that
// came later. The address of each of them shows the whole (chainOf). The page reads a bounded part of the
// store: every search goes by an index, and ends after so many records. Package story tells of the records; the
// page lays it out.
//
// With mask, nothing of a receiver's document leaves this package unless the reader reveals it (package
// mask): neither in the page nor in a download.
package exchange
