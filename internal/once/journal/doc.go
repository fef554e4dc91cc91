// Package journal remembers what was sent in an audit trail. A Journal is the once.Journal of a process: it searches the
// records of all logs that may have a request or a queue, and writes the record of a settlement.
//
// A request or the key of a queue goes in; the exchange that was kept, or all that is open, comes out, as package once
// needs it. Suspects tells which queues have something open, from the records that a process reads at its start. The
// errors are the store's, and the context's.
//
// The package knows audit, and the values of package once. It asks no service and decides nothing.
package journal
