// Package intake turns the bytes of a client into a decision: the operation, the typed request, the
// request for the service, all findings with their actions, or the answer that ends the exchange.
//
// A Form is JSON or SOAP, and the only place that knows which: it admits a request, decodes it, and writes
// refusals and answers. A Book is how one gateway decides: contract, mode, rules, issuers, what it fills in.
// The gateway, the console's page to try a request and the command check call the same Book.Decide.
//
// The package knows neither earlier requests (package once) nor records (package audit).
package intake
