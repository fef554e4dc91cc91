// Package standing finds out what became of an invoice, over all sources that a reader may see. Each service numbers its
// own invoices, so a number may have been given once by each.
//
// It is a package of its own because the page of an invoice and a list of invoices must say the same.
package standing
