// Package backend is Fielato's built-in invoicing service: a simulator of Argentina's WSFEv1
// over a ledger, for tests, demonstrations and development.
//
// Nothing in here is ARCA's. No invoice that it authorises exists for the tax authority, and
// its codes show it: a CAE of this package begins with 9 and a CAEA with 4, digits that the
// service's own codes of 2010 to 2026 never begin with (AuthorisationCode).
//
// A Backend lives from New on; it owns no goroutine and does not close its Ledger. A request
// takes these steps:
//
//  1. Answer looks up the operation and checks the credentials. Any Token and Sign that are
//     not empty pass, unless Options.Tickets is stricter; others get 600.
//  2. Options.Judge finds mistakes in the request, by the rules of validate/rules.
//  3. The rules of state are checked here: points of sale, the next number of a series and
//     its last date, advance codes and their validity (examine.go, state_*.go).
//  4. An operation that changes something runs as one Ledger.Update. The next number is
//     checked and taken inside it, so several backends can share one ledger. When Update
//     returns, the invoice is durable; only then does Answer return.
//
// A lot is processed in order. The first rejection ends it: what was approved before stays
// approved, what comes after is R without Observaciones. The reference tables are embedded
// from tables/, one file with tab-separated columns for each.
package backend
