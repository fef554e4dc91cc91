// Package proof is the page that proves a record: the browser itself checks that the record is in the
// log, unchanged, and that the log's key has signed that. Nobody need believe the server.
//
// The page gets the text of the proof, as `audit prove` writes it, and takes all that it checks from there.
// The key is the reader's: pasted, or pinned in the browser, and never sent. The key that the server names
// is only its word. The page's statements about the record are compared with the proven bytes, too.
//
// A store that was tampered with is shown as it is found, with the parts that do not fit: see find. The
// downloads are the same files that the commands write, or a page that explains why there is none.
package proof
