// Package timestamped has the newest checkpoint of a log stamped by a time-stamping authority (RFC 3161).
//
// A Stamper belongs to a configuration and has one goroutine. It asks at its start, at each interval if the log has
// grown, and once a day if it has not. No exchange, no start and no stop waits for it.
//
// A Shelf keeps what was stamped, in the store of the log: the newest stamp, and the last one of each day. A stamp shows
// that all records under its checkpoint existed at its time, and the records under later checkpoints are no part of
// that. So the newest stamp alone would show of an old record only that it exists today; by the last one of its day, or
// of a day after it, anyone sees when it existed. Nothing is kept that does not verify.
package timestamped
