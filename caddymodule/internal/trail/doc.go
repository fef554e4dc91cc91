// Package trail keeps the record of every exchange: one log of an audit store, and all
// that belongs to it.
//
// A Trail is opened when the first configuration that names its store starts. It lives in a pool
// and outlives configurations, so it holds nothing of one. Opening it claims the log and reads
// the open intents; nothing new is sent in their series before they are settled. Append makes a
// record durable. Records that could not be written although their exchanges were completed are
// in the backlog, which is written first. Close flushes the backlog and logs the records that are
// lost. A log that has lost its end is not opened (package sentinel). Options configure a trail;
// a Set is the trails of one configuration.
package trail
