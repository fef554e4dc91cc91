// Package export writes a log into a folder of files, and verifies such a folder with nothing
// but the log's public key.
//
// A folder holds runs of records as JSON Lines, the invoices in them as CSV, the signed
// checkpoint, and a manifest that names all of it. A line holds everything that the canonical form
// of its record is made from. So the tree proves the very text that people read.
//
// The life of an export:
//
//  1. Write reads the newest checkpoint and continues after the last whole file of an earlier
//     run, whether that was cut off or the log has grown since.
//  2. Files are written under working names, synced and renamed. Notes beside them name those
//     that are whole.
//  3. The manifest replaces the notes. Only now is the folder an export.
//  4. Verify makes the forms again from the lines, the tree from the forms, and compares its
//     root with the signed checkpoint.
//
// The package reads a store through audit.Store and changes nothing in it. It writes through
// Folder alone. Memory does not grow with the log.
//
// The command that uses it is in docs/evidence.md#export.
package export
