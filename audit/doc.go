// Package audit keeps the evidence: a record of every exchange, in a trail that
// only grows. It knows neither Caddy nor HTTP, neither rules nor the backend.
//
// The life of a record:
//
//  1. The gateway fills a Record and hands it to Trail.Append. Credentials are
//     already replaced by fingerprints (package redact): nothing in here ever held them.
//  2. Append encodes the record into its one canonical form (Record.Encode), outside
//     of any lock: a summary, which is the leaf of the tree, and the content that it
//     names by its hash, which can be purged.
//  3. The trail's single writer takes all records that wait, gives them
//     consecutive indexes in the order of arrival, and hands them to the Store as
//     one Batch.
//  4. Store.Commit makes the whole batch durable, or nothing of it, and returns.
//  5. Append returns the index. Only now may the gateway go on: forward the
//     request whose intent this was, or answer the client whose outcome this is.
//
// An operation that changes something upstream leaves two records, an intent
// before anything is sent and an outcome that links back to it. An intent without
// outcome is evidence too: of a crash between the two.
//
// Verify reads a whole log again and compares it with its signed checkpoint. What it
// takes for proven goes from the signature to the root, from there to the hashes that the
// store keeps (proven), and from these to the records: so it can name the record that is
// wrong, and tell it from a hash that is.
// A record can be handed to others with a proof that it is in the log (Prove), and a
// checkpoint that was kept elsewhere shows whether the log of later still holds all that
// it held then (CheckExtension).
//
// Records are found again by what people ask for (Query): issuer, point of sale,
// type and number of a voucher, CAE or CAEA, operation, outcome, time.
//
// A log leaves as an Export: lines from which the form of each record can be made
// again, so that VerifyExport needs nothing but them and the public key.
// A record is a summary and a content (Record, Form). The tree is over summaries alone,
// each of which names its content by a hash. So content can be encrypted (ContentKey)
// and purged (Purger), and the trail verifies without it, without any key, as before.
//
// What is purged is recorded first (PurgeRecorded, PurgeScope): in the summary of a record
// of KindAccess, which the tree is over. The signature is over the record from which on
// this is so (Checkpoint.PurgesFrom). Verify therefore tells a purge from content that
// somebody took out of the store, which needs no key.
package audit
