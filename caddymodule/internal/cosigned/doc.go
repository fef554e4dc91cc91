// Package cosigned has the checkpoints of a log cosigned by witnesses (C2SP tlog-witness).
//
// A Group belongs to a configuration and has one goroutine for each witness. All are given the same checkpoint, the
// group's target, so that a quorum signs one and the same. The Keeper of a log has the signatures:
// the newest checkpoint that each witness has signed, and the newest one that a quorum has. Nothing is kept that does
// not verify with the key of the witness that was asked.
//
// # What a refusal shows
//
// The status of an answer is signed by nobody: a faulty witness must not be able to stop a gateway. So a conflict or
// a refused proof raises an alert, and the group looks for proof: a checkpoint with the signatures of both the log's
// key and the witness, from the witness's monitoring path or kept here. If the log does not continue that checkpoint,
// an older copy of the store was put back, or its history was rewritten: Keeper.Contradicted says so from then on, and
// the trail accepts no record any more.
package cosigned
