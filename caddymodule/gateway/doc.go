// Package gateway is the handler wsfev1: the life of one exchange, a request and its outcome.
//
//  1. admit: method, path, media type, size; the body is read once.
//  2. understand: validate.Decode, all findings of shape.
//  3. judge: the rules over the typed request.
//  4. decide: refuse, or go on.
//  5. intend: for an operation that changes something, its turn and a durable intent.
//  6. forward: the next handler, detached from the client. The request leaves in a form of our
//     own (outgoing.go), and as long as it may be sent (late.go); the answer is captured.
//  7. record: what happened, durable before the client learns of it.
//  8. answer: the upstream's bytes or ours, with the record's address.
//
// Each step may end the exchange with an answer. Questions of the gateway's own are exchanges
// too. Of request headers all are forwarded but those that tell another path, method, host or
// operation: a list of those that may pass would lose what operators and services agree upon,
// without a word. Headers of an answer lose credentials that a service quotes in them.
//
// A Gateway is the configuration and the steps. It holds nothing between exchanges: what
// lasts is in the trail.
package gateway
