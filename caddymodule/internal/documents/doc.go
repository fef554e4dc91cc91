// Package documents judges requests as a gateway does, without sending anything: the command check and the
// console's page to try one.
//
// Documents parts a file into its documents. A Judge reads each, in JSON or SOAP, finds its operation and
// applies the rules. The Result has the findings, without credentials, and where they stand.
package documents
