// Package rules judges requests by the rules of the invoicing service: totals, dates, classes,
// receivers, and all else that can be decided at the edge. Judge takes the name of an operation and
// a body; Rules.Judge takes a typed request. Rules live as long as their settings and may be
// used by many goroutines. They know no store, and take the time from their caller. The page
// for users of the library is docs/library.md.
//
// Every code of the service is an entry of Catalogue. Its tables (lotRules, amountRules …) stand
// beside the functions that judge, in one file for each subject. A rule is one sentence: the
// code and the severity that each operation has for it, the types of voucher and the part of
// the invoice that it is about, the days on which it is in force, the texts, and what it rests
// on beside the manual (Source). A rule without a function is decided by state: it needs the tax
// register or the invoices issued before, which package backend has.
//
// What rules declare about types, dates and levels is worked out once a day, into a plan for
// each operation and type of voucher. Only functions that can apply to an invoice run for it:
// a new rule costs only the invoices that have what it looks at.
//
// To add a rule, add it and its function to a table, and its code to manualTables. The tests then
// name the missing parts: texts in two languages, a request that breaks exactly this rule and one
// that just keeps it (testdata/rules). Read its message with the figures aloud
// (testdata/messages.golden): it names the cure, in words.go's style.
package rules
