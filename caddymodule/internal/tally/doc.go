// Package tally counts the exchanges of a trail, for commands and for the console. It reads summaries alone, so
// that a million records take about a second.
//
// Read is the one reading. A Day keeps the counts of a day of one store in memory, by issuer: a reader of some
// issuers gets the sum over these, and nothing else goes into it. Follow brings a day forward by the records
// that were appended since, so that a refresh costs little. The counts do not depend on the order of the
// records. MaxKept bounds them: a day with more says that it is not whole.
package tally
