// Package binding is the HTTP form of the service: how a request of it is admitted, what
// is forwarded, and how the gateway words an answer of its own.
//
// An Admission reads a request: its path and method, its media type, its body within the
// budget of memory. A Body is what goes on to the next handler: the original bytes, each
// part given only while the request may be sent. A Wire has the facts of what happened on
// the connection. A Reply is an answer, a Refusal one that refuses, in the service's own
// error body. The package knows neither the trail nor the exchange.
package binding
