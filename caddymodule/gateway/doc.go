// Package gateway is the handler wsfev1: its options, its Caddyfile and its provisioning. A Gateway is the
// configuration; the way of an exchange is in package exchange below caddymodule/internal, which the gateway
// builds from its options (way.go) and hands each request to:
//
//	intake     the bytes of a client → the decision: the request for the service, or a refusal
//	send       a request → its fate on the wire, and the answer as it was read
//	record     both → the record, the metrics, the log fields
//	exchange   leads from one to the next: cache, turn, intent, recovery, reply
//
// A Gateway holds nothing between exchanges: lasting state is in the trail.
package gateway
