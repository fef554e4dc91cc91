// Package record turns the facts of an exchange into what is kept and shown of it: the record in the trail,
// the metrics, the fields of the access log, the attributes of a span.
//
// Facts are values that the phases of an exchange have returned: the decision about the request (package
// intake), what became of it on the wire (package send), and its result for the client. Nothing here asks a
// store or the service, and nothing changes an exchange.
package record
