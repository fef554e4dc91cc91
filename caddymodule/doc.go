// Package caddymodule plugs Fielato into Caddy: importing it registers the modules. Each is
// in a room of its own below this folder:
//
//	wsfev1                                         app        what one configuration opens, runs and shares
//	http.handlers.wsfev1                           gateway    the options of the gateway (directive wsfev1)
//	http.reverse_proxy.transport.wsfev1_soap       arca       the way to a service that speaks SOAP (directive wsfev1_arca)
//	http.handlers.wsfev1.stores.{sqlite,postgres}  stores     where the trail is kept
//	http.handlers.wsfev1_backend                   simulator  the built-in service (directive wsfev1_backend)
//	http.handlers.wsfev1_backend.ledgers.{…}       stores     where its ledger is kept
//	http.handlers.wsfev1_console                   console    the pages for people (directive wsfev1_console)
//	http.handlers.wsfev1_log                       publiclog  checkpoints and hashes for programs of others (directive wsfev1_log)
//	http.handlers.wsfev1_wsaa                      login      the built-in login service (directive wsfev1_wsaa)
//	admin.api.wsfev1                               admin      status of the trail; clock and faults of the service
//	fielato wsfev1 …                               command    the commands
//
// Below them, in caddymodule/internal, are the phases of an exchange, each of which takes values and returns
// one: intake (the decision about a request), send (the wire and the answer), record (records, metrics, log fields)
// and exchange (which leads from one to the next); binding has the HTTP form of the service for all of them.
// Beside them are trail (the record of every exchange), tickets (access tickets that the gateway keeps), fill,
// outage, checkpoint, learned, flights, tracing, metrics, directive, outcome, keyfile, layout (routes that
// cannot work) and ports (other processes on the same ones). Only these packages know Caddy; the decisions are
// made in validate, audit and wsaa, and in once and backend below internal. architecture_test.go lists the
// allowed imports.
//
// Placeholders, once a request was admitted: {http.wsfev1.operation}, {http.wsfev1.outcome},
// {http.wsfev1.record} (log/index) and {http.wsfev1.certainty} (answered, not_sent, unknown).
// The access log has wsfev1_operation, wsfev1_outcome, wsfev1_record, wsfev1_trace_id if the
// exchange is part of a trace, and wsfev1_failure if something failed.
//
// The tests in this folder are about the whole module. The tests of a room stand beside it; where
// they need a gateway at work they load a Caddyfile and are clients, with package caddytest.
//
// The directives and their options are in docs/configuration.md.
//
// It is a package of its own because an import of it is all that a program needs to have every module.
package caddymodule
