// Package month is the page on which an accountant closes a month: the sums of its invoices, and a table of them
// to download. Package closing adds up; `audit totals` is its face on the command line.
//
// The gateway works in the same process. So the page has bounds of time and of invoices: a month that exceeds them
// gets no sums at all, and the command that adds it up.
package month
