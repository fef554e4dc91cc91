// Package mask removes from records what must not be kept: the Token and Sign of clients, a keeper's
// ticket, and the members that an operator names.
//
// There are needles, the forms in which documents hold them, and what stands in their place:
//
//	Credentials   credentials, or parts of them that are cut, in pieces, or in any of the forms that
//	              package forms lists; their keyed fingerprint
//	Fields        members that an operator names; the fingerprint of their text
//	Mask          the values of these in one exchange, and texts that quote them or name a field; the
//	              fingerprint of the text
//
// Both are looked for on the same walk over a document, which package walk goes: hiding is what a walk
// has found, jsonHiding and xmlHiding are visitors. The console hides receivers' documents on these walks too.
//
// A Redactor has the trail's key. Hidden values cannot be found again, but equal credentials have equal
// fingerprints. The package reads no store and writes nothing.
//
// The members that an operator may name are in docs/evidence.md#what-is-not-kept.
package mask
