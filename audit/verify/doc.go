// Package verify reads a whole log again and finds out whether it is what was signed.
//
// Proof goes from the signature to the root, from there to the hashes that the store keeps
// (proven), and from these to the records. So a verification can name the record that is
// wrong, and a hash that is wrong.
//
// The life of a verification:
//
//  1. It opens the store's checkpoint and the kept one, and reads the recorded purges
//     (PurgeBook): they alone may have removed content.
//  2. Workers on all processors decode and hash the pieces of the log. Beside them the store
//     checks its own index (audit.Inspector).
//  3. One goroutine puts the records into rows, compares each row with the kept hashes, and
//     grows the tree.
//  4. At the end the size, the root and the kept checkpoint are compared. The Report lists
//     the flaws; an error means that the question could not be answered.
//
// The package reads a store through audit.Store and writes nothing. Memory does not grow with
// the log except for a bit a record at worst (IndexSet).
//
// The commands that use it are in docs/evidence.md#verify-the-trail.
package verify
