// Package record makes, of the facts of an exchange, its record in the trail, its metrics, its fields in the
// access log and the attributes of its span.
//
// Facts are values that the phases of an exchange have returned: the decision about the request (package
// intake), its fate on the wire (package send), and its result for the client. Nothing here asks a
// store or the service, and nothing changes an exchange.
package record
