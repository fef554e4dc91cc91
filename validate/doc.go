// Package validate inspects requests: bytes in, a typed request and findings out. It is pure:
// it does no I/O and has no clock of its own; the caller gives the moment.
//
// A program that asks whether a request is right needs one call, and package rules alone:
// rules.Judge. It stands there because the catalogue of rules imports this package. The page
// is docs/library.md.
//
// The life of a request:
//
//  1. Decode reads the body once, strictly, against the operation's Shape. It returns the
//     typed request and all findings of shape, each with the JSON Pointer of the place.
//     DecodeSOAP does the same for a message of package soap: what follows sees no difference.
//  2. Package rules judges the typed request, as of the moment at which it is processed. A
//     rule has the service's own code. Its finding has what was expected, what was got, how
//     far they are apart and within which tolerance.
//  3. Refusal writes findings as the service would: in the shape of the operation's own
//     answer. Malformed writes findings of shape, in the error body.
//
// A member that is null counts as absent, an empty list as sent: that is how the service
// reads them. A scalar left out of an invoice reads as 0 or as an empty text, and the rules
// find it under the service's own codes.
package validate
