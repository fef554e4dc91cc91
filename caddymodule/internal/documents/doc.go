// Package documents reads files with requests, for the command check and the console's page to try one: it
// parts a file into documents, recognizes the form and operation of each, and finds where in it the elements
// stand that findings are about. The decision about a request is the gateway's own (intake.Book), and nothing
// is sent.
//
// No Result has a credential in its findings.
package documents
