// Package proving is the commands of `fielato wsfev1 audit` about proofs: they verify a trail, and make and check
// what proves it to others. That is evidence of an invoice, the proof of a record, an export, a checkpoint, and a
// time-stamp.
//
// Nothing here writes into a trail. What was exported is checked without one.
package proving
