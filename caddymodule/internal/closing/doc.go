// Package closing adds up the invoices of a month, as an accountant closes it.
//
// It takes records and returns values: Invoices, which the service has authorised, and Totals over them.
// `audit totals` and the console's page of a month are its faces. The rules:
//
//   - An invoice counts once, whatever was tried: an answer given again, a question of the gateway or a
//     query of a client adds nothing. Of several records that authorise it, the oldest counts.
//   - What was found out later counts: an outcome or a settlement that recovered an invoice. Its amounts are
//     the amounts of the request, which the service has confirmed.
//   - The month is the invoice's date (CbteFch) or the day on which it was authorised, in Argentina. A date
//     that was not sent is the one that the service has answered.
//   - Amounts are content. Where that was purged, is sealed or hidden, or cannot be read, the invoice counts
//     as one without amounts (Invoice.Missing), and its date is the day on which it was authorised. Nothing
//     is guessed.
//   - The invoices of a settled lot stand in its request alone. Where that is in a log that the store does not have,
//     they are in no sum, and the settlement is counted (Reading.LotsElsewhere).
//   - Invoices of the built-in service and of the authority's service for tests are added up apart.
//
// A first pass over the summaries of the records finds the invoices, a second reads their requests in the order
// of the log, so that each block is read once. Finding and adding up need about 200 bytes for an invoice.
package closing
