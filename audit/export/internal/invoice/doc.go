// Package invoice makes the table of the invoices in a log: a row for each invoice of each record, as CSV for
// spreadsheets. A verifier makes the rows again from the records, and compares them with the file.
package invoice
