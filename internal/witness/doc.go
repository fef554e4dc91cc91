// Package witness is a witness of logs, as C2SP's tlog-witness describes it: it cosigns a log's checkpoint if it
// continues all that the witness has cosigned before, and nothing else. With a cosignature nobody can show one
// history to some and another one to others, or take back what was there.
//
// Witness judges requests. Its Store is durable before a cosignature leaves. Files is the store of a single
// process: the newest head of each log in one file, the sizes that the key has signed in another one beside the
// key, and a folder with evidence.
//
// # A restored store
//
// A witness that goes on from an older copy of its store would sign a second history. The file beside the key
// (SignedTrees) says how much the key has signed: a store that has less is refused. This does not notice that both files
// were restored together. The witness notices that when a checkpoint comes with a signature of its own that the store
// does not have: so a client that is told a smaller size than the witness has signed sends that checkpoint along.
//
// # Evidence
//
// A log whose own key has signed two heads that contradict each other has rewritten its history. Evidence keeps
// both, and anyone with the log's public key can judge it.
package witness
