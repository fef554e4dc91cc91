// Package story tells what happened to an exchange, from its records, in Spanish and in English.
//
// It takes records and returns values: events, notes, verdicts, documents, texts. The evidence page of an
// invoice, the console's page of an exchange and `audit show` are its faces: package read gives them the
// records, and they lay the values out. The package knows neither the store nor a page, and holds every word
// about an exchange once. Where a printed document says more than a screen, both texts stand in one entry
// (Printed).
//
// The records tell this:
//   - A request that changes something has an intent, recorded before it is sent, and an outcome. All else
//     is one record (Exchange).
//   - Without an answer the outcome is unknown. Questions of the gateway have the identifier of the
//     exchange; what they find out stands in the outcome, or in a settlement that came after the client was
//     answered.
//   - A repeat gives the answer of another record again: its origin (OriginOf).
//   - Cause is why there was no answer. Records of builds before 2026-12 have it in the text of the inner
//     error alone (CauseOf).
//   - The service's judgement of each voucher is its Resultado, with a CAE or CAEA if it was authorised.
package story
