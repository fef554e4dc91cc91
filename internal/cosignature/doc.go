// Package cosignature makes and checks the cosignatures of witnesses: Ed25519 cosignature/v1 of C2SP's
// tlog-cosignature. A witness signs that it has seen a checkpoint, when, and that the checkpoint continues all
// that it has signed before.
//
// Key.At is a note.Signer and Verifier a note.Verifier, so that notes with cosignatures are made and read by
// package note, like all signed notes:
//
//	signed, err := note.Sign(checkpoint, key.At(time.Now()))
//	opened, err := note.Open(signed, note.VerifierList(witness))
//	when, err := cosignature.Time(opened.Sigs[0])
//
// Keys are of this kind alone. The key of a log, which has another type, is refused: a log must not be its own
// witness.
package cosignature
