// Package listing finds the rows of a list in all logs: exchanges or invoices, newest first, from a place on.
//
// A search is bounded. What no index has is looked for record by record: the search is left after some time, and says
// how far it came.
//
// A cursor is a place in each log, and not a moment: two records may have the same. Of a list of invoices, the place has
// where the list began too. An invoice is listed in the place of its newest record before that.
package listing
