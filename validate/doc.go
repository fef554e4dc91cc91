// Package validate inspects requests: bytes in, a typed request and findings out.
// It is pure: no I/O, no clock of its own; whoever judges says when.
//
// The life of a request:
//
//  1. Decode reads the body once, strictly, against the operation's Shape. It
//     returns the typed request and all findings of shape, each with the JSON
//     Pointer of the place.
//  2. Rules.Judge runs the rules over the typed request, as of the moment at which
//     it is processed. A rule has the service's own code; what it finds says what
//     was expected, what was got, how far they are apart and within which tolerance.
//  3. Refusal writes findings as the service would: in the shape of the
//     operation's own answer.
//
// Beside that, ReadTicket and VerifySign look at the access ticket of a request.
//
// # The catalogue
//
// Every code of the service is an entry of Catalogue. The tables that it is made of
// (lotRows, amountRows …) stand beside the functions that judge: a row is one
// sentence, with the code and the severity that each operation has for it, the types
// of voucher and the part of the invoice that it is about, the days on which it is
// in force. A row without a function is decided by state: it needs the tax register
// or the invoices issued before, which only the service has.
//
// What rows say about types, dates and levels is worked out once a day, into a plan
// for each operation and type of voucher. What runs for an invoice are then the
// functions that can apply to it, and no more: adding a rule costs those invoices
// something that have what it looks at.
//
// To add a rule, add a row and its function; the tests name what is still missing:
// texts in two languages, a request that breaks exactly this rule and one that just
// keeps it (testdata/rules).
//
// # How absence reads
//
// A member that is null counts as absent, an empty list as sent: that is how the
// service reads them. A scalar left out of an invoice reads as 0 or as no text,
// and the rules speak about it with the service's own codes.
package validate
