// Package wsfev1 is the language of the electronic invoicing service: its operations, the
// types of their requests and answers, its amounts and dates. It imports no other package of
// Fielato, and nothing in it changes after the start.
//
// The service speaks JSON over HTTP: POST {base_url}/api/wsfev1/<Operation>, credentials in
// the body. Its vocabulary is data and stands in one place:
//
//  1. Operations is the table of operations: name, family, effect, request type, answer
//     type. Adding an operation is one row and its two types.
//  2. The Go types carry the service's own Spanish field names, exact and case-sensitive,
//     and a `wsfev1` struct tag with the rules of each field (see Shape). Extensions of the
//     twenty-operation contract are marked there.
//  3. A Shape is compiled once from each type. Shape checking, redaction of credentials and
//     every other form of the interface walk over shapes and repeat no field name.
//
// Nothing that is exported panics, whatever it is given, but for MustAmount. How to use the
// package is in docs/library.md.
//
// Amounts are exact decimals that keep the digits they were given (Amount). Dates are the
// service's own text forms in Argentina's calendar, UTC−3 (Date, Timestamp). CUIT and DocNro
// are 64-bit integers: a CUIT cut to 32 bits is a classic way to be rejected with 10015.
//
// The reference tables that are the same for every issuer are embedded from tables/ (Tables).
// The rules use look-ups that cost a few nanoseconds (IsMoneda, IvaRate, MayAssociate…).
package wsfev1
