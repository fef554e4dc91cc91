// Package fill completes invoices that lack CondicionIVAReceptorId, the IVA condition of the receiver, from
// the operator's declarations: the option fill of the directive wsfev1. Clients with an old definition of
// the service cannot send the member, and the service refuses invoices without it from 2026-12-01 (rule
// 10246).
//
// A Source holds the operator's declarations: a Table of receivers, defaults, or both. It fills an invoice
// only with a condition that the class of the voucher admits, and never replaces a value that the client
// has sent. A Completed is a request with the members that were filled in, and by which rule; the request
// that came stays as it is.
package fill
