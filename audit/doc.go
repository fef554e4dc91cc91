// Package audit keeps the evidence: a record of every exchange, in a log that only grows.
//
// The life of a record:
//
//  1. The gateway fills a Record. Credentials are already replaced by fingerprints (package
//     redact): nothing in here ever held them.
//  2. Writer.Append encodes it into its one canonical form (Record.Encode), outside of any lock:
//     a summary, which is the leaf of the tree, and the content that it names by its hash.
//  3. The one writer takes all records that wait, gives them consecutive indexes, and hands
//     them to the Store as one Batch, with a signed Checkpoint over the tree.
//  4. Store.Commit makes the whole batch durable, or nothing of it. Append returns the index.
//     Only now may the gateway forward the request, or answer the client.
//
// An operation that changes something upstream leaves an intent, before anything is sent, and
// an outcome that links back to it. An intent without outcome is evidence too: of a crash.
//
// Contents can be encrypted (ContentKey) and purged (Purger): summaries, and with them the
// tree, stay. A purge is recorded first (PurgeRecorded), so that content that was taken out
// of a store is not mistaken for purged content.
//
// A record leaves with a proof that it is in the log (Prove), a log whole (Copy) or as files
// (package export). Package verify reads a log again. The package knows neither Caddy nor HTTP,
// neither rules nor the backend; the stores are packages of their own.
// The page is docs/evidence.md.
package audit
