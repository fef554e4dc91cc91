// Package trail keeps the record of every exchange: one log of an audit store, and all
// that belongs to it.
//
// A Trail is opened when the first configuration that names its store starts. It lives in
// a pool and outlives configurations, so it holds nothing of one. To open it is to claim
// the log, to read what is open in it, and to let nothing new pass in a series before that
// is settled. Append makes a record durable; what could not be written while exchanges
// went on is in the backlog, which goes first. Close flushes the backlog and logs what is
// lost. Options say how a trail is kept; a Set is the trails of one configuration.
package trail
