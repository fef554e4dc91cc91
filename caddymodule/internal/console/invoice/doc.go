// Package invoice is the page of one invoice: its state as of now, its amounts, and everything that was tried to
// issue it, told once; and the sheet about it that goes to the customer.
//
// The page lays out evidence.Sheet, so it says of the invoice what a bundle of evidence says. An invoice that the
// trail does not have, and one that the reader may not see, have the same page.
//
// With mask, nothing of a receiver's document leaves this package. The page of the exchange reveals it.
package invoice
