// Package postgres keeps the ledger of the built-in invoicing service in PostgreSQL, so that
// several gateways share one. It keeps to SQL that CockroachDB, YugabyteDB and Citus
// document too.
//
// The way of an Update:
//
//  1. Its function is run up to the first question that it asks. If that is for a series, as
//     of all that issue, the Update waits for its turn at this series; no two writers of a
//     ledger are at one series. Nothing is asked of the server yet.
//  2. A writer takes all that waits, up to a bound, and begins one transaction (READ
//     COMMITTED). It locks the rows of their series (FOR UPDATE), and runs the functions one
//     after the other on what it has read. What they append is sent when the last has run:
//     of one that fails there is nothing to undo.
//  3. The writer commits, and only then are the callers told. Many callers share the
//     cost of the round trips and of the one sync.
//
// That is for functions that ask for their own series and for serial numbers alone, and
// append invoices that refer to nothing. A function that turns out to want more, or whose
// series has no invoice yet, is run again in a transaction of its own (SERIALIZABLE), which
// reads and writes as the function goes.
//
// What is locked: the row of a series, from before its state is read until the commit. A
// writer leaves out the series that another ledger holds, and others, of which there are
// some for that, wait with the Updates of these, each in its order. So only who issues in
// the same series waits.
//
// Why all Updates behave as if each were alone: those that share a transaction read and
// write nothing but rows of series that they have locked, and invoices of these. Those
// that run alone lock each series whose state they rely on, too, and the server refuses
// them (SQLSTATE 40001) where it was changed since they began; everything else, such as
// advance codes, references and the first invoice of a series, is written by such
// transactions only, and among them the server keeps order. They are then run again, for
// a minute. Two that ask for each other's series may be in a deadlock, which the server
// ends after a second.
//
// A serial number belongs to the one ledger that has reserved its block, in a transaction of
// its own. What is left of a block when the ledger ends is never given. SkipSerials raises
// a mark that every transaction looks at before it takes numbers from a block.
//
// What a crash loses: functions that nobody was told about, whether the client, the server
// or the connection fails. It needs synchronous_commit on, and a failover that loses no
// commit: with a replica that lags behind, what it lacks is lost.
//
// Where the answer to a commit is lost, the ledger looks: each transaction writes a number
// of its own into its rows, and the look waits until the server has ended that
// transaction. What was not committed is run again. Only a server that cannot be asked for
// as long as Options.SettleWithin leaves a doubt, which is backend.ErrUncertain. A
// transaction whose client is gone without a farewell holds its series for 30 seconds at
// most (idle_in_transaction_session_timeout); a function that pauses for longer between two
// questions fails, and nothing of it is there.
//
// What scales: gateways, as long as they issue in different series; the invoices of one
// series pass through one row. Measured from 64 goroutines, what runs alone costs six times
// as much as what shares on 64 series, and twenty to thirty times on a single one.
// Reads run on one snapshot (REPEATABLE READ, READ ONLY), wait for nobody, and read long
// lists page by page; a long export keeps the server from clearing up old rows.
//
// Migrations need the owner of the tables. For everything else GatewayGrants do, and to reset
// ResetGrants.
package postgres
