// Package gateway is the handler wsfev1. It leads an exchange, a request and its outcome,
// through these steps:
//
//  1. admit: check method, path, media type and size; read the body once.
//  2. understand: decode the typed request, with all findings of shape.
//  3. judge: apply the rules to the typed request.
//  4. decide: refuse, or go on.
//  5. intend: for an operation that changes something, take its turn and make an intent
//     durable.
//  6. forward: call the next handler, detached from the client. The request is rebuilt
//     (outgoing.go) and is sent only while it may be (late.go); the answer is captured.
//  7. writeRecord: make the record of what happened durable, before the client gets its answer.
//  8. answer: send the upstream's bytes or our own, with the record's address.
//
// Where Caddy's tracing records the request, each step is a span (spans.go); the trace that an
// exchange is a part of is recorded with or without that (trace.go).
//
// Each step may end the exchange with an answer. The gateway's own queries are exchanges too.
// All headers of a request are forwarded except those that name another path, method, host or
// operation: a list of allowed headers would silently drop what operators and services agree
// upon. Credentials that a service quotes in the headers of an answer are removed.
//
// A Gateway is the configuration and the steps. It holds nothing between exchanges: lasting
// state is in the trail.
package gateway
