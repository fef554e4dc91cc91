// Package search is the page that finds exchanges by what a person writes into one box, and by the
// filters of `audit search` in its address. It follows live, and gives what it finds as a table.
//
// A page begins before its search does, and the search is bounded. By issuer, CAE, code, exchange or day
// the store finds at once, and an invoice by its point of sale and number alone. What no index has is looked
// for record by record, as are records of a build whose index did not have it: the page looks for a second or
// two, says how far it came, and goes on from there when its reader asks.
//
// A cursor is a place in each log, and not a moment: two records may have the same. It stands in the
// address as LOG/NUMBER, as do the places of the pages before it.
//
// No reader holds the trail open: a live one opens it at each look, and an export for each part.
package search
