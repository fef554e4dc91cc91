// Package caddymodule plugs Fielato into Caddy. It is the only package that knows
// Caddy: what it decides is decided in validate, audit and backend.
//
// The life of an exchange (serve.go, one call for each step):
//
//  1. admit: method, path, media type, size; the body is read once.
//  2. understand: validate.Decode, all findings of shape.
//  3. judge: the rules over the typed request.
//  4. decide: refuse, or go on.
//  5. intend: for an operation that changes something, a durable intent.
//  6. forward: the next handler, detached from the client, its answer captured. The body
//     asks until its end has left whether it may be sent still (inspected.go, late.go), and
//     no more is read of an answer than there is room for (answers.go).
//  7. record: what happened, durable before the client learns of it.
//  8. answer: the upstream's bytes or ours, with the record's address.
//
// The operation is decided once (route.go), and the request leaves in a form of our own
// (outgoing.go): what no path, header or trailer says, no service can read in it. A path that
// could be read in two ways is refused. Of the headers all are forwarded but those that tell
// another path, method, host or operation (outgoing_header.go): a list of those that may pass
// would lose what operators and services agree upon, without a word.
//
// Of the answer the client gets the bytes and most headers (answer_header.go), without the
// credentials that a service may quote in one (answer_secrets.go): Caddy's access log has them
// as the client does. The headers of the request it has copied before any handler ran.
//
// Modules:
//
//	http.handlers.wsfev1                          the gateway (directive wsfev1)
//	http.handlers.wsfev1.stores.sqlite            where the trail is kept
//	http.handlers.wsfev1_backend                  the built-in service (directive wsfev1_backend)
//	http.handlers.wsfev1_backend.ledgers.sqlite   where its ledger is kept
//	wsfev1                                        the app that opens and closes both
//	admin.api.wsfev1                              the admin API: how the trail stands; clock and faults of the built-in service
//
// The app exists because a handler has no moment at which it starts: Provision
// also runs for `caddy validate`, which must neither lock nor create a file beside
// a running gateway. Handlers ask the app for a resource while they are
// provisioned; the app opens it when the configuration starts, and lets go of it
// when the last exchange that holds it has ended (lease.go). A reload therefore
// loses no request and no record, also when the new configuration names another
// store.
//
// With checkpoint_to the app has a goroutine for each place (checkpoint_keeper.go), from
// the start of the configuration to its end, which keeps the trail's newest checkpoint
// there. No exchange waits for it. A file is also a witness: before a configuration may
// use a trail, and before the file is replaced, the trail must continue what is kept.
//
// The app also keeps the clock of its configuration (clock.go). What is judged goes
// by it, what is recorded and measured by the machine's. A reload that names the
// same clock as before keeps one that was moved over the admin API meanwhile; a
// configuration without a built-in service has the machine's, whatever was before.
//
// Whether the service answers is known to a watch (watch.go, breaker.go). It belongs to
// the trail and not to the configuration: a reload must not forget an outage, and a
// restart reads from the trail that one lasts. A handler cannot know what stands behind
// it before it has forwarded, so a trail has one watch unless handlers name theirs.
// Tables and FEDummy say nothing about whether issuing is possible. What is in flight is
// counted by each handler of a configuration for itself (limits.go).
//
// Placeholders, once the request was admitted:
//
//	{http.wsfev1.operation}  the operation's name
//	{http.wsfev1.outcome}    the outcome, one word (see the metric)
//	{http.wsfev1.record}     the record's address, log/index
//	{http.wsfev1.certainty}  answered, not_sent or unknown
//
// The access log carries wsfev1_operation, wsfev1_outcome and wsfev1_record, and
// wsfev1_failure where something failed.
package caddymodule
