// Package binding is the HTTP form of the service: how a request is admitted and forwarded,
// and how the gateway words its own answers.
//
// An Admission reads a request: its path and method, its media type, and its body within a
// MemoryBudget. A Body is forwarded to the next handler: the original bytes, which can be
// read only while the request may be sent. A Wire has the facts about the connection. A Reply
// is an answer; a Refusal is an error answer in the service's own error body. The package
// knows neither the trail nor the exchange.
package binding
