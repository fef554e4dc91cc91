// Package exchange leads an exchange, a request and its outcome, from the client to the service and back. A
// Way is one gateway's settings and parts. Its Serve reads from top to bottom as the way of an exchange:
//
//	take      intake: the decision about the request, or how it is refused
//	cache     answers that change rarely
//	lane      its turn in the series, or the answer to a repeat; the number against the last one
//	breaker   refuse while the service does not answer
//	slot      a ticket, and a place at the service
//	intend    the intent is durable before anything leaves
//	forward   send: its fate on the wire, and the answer as it was read
//	recover   ask the service about an unknown outcome
//	record    the record is durable before the client gets its answer
//	reply     the answer, with the record's address
//
// Each step may end the exchange with a result. A query of the gateway itself is an exchange too.
//
// All lasting state is in the trail; the package holds nothing between exchanges.
package exchange
