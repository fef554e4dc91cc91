// Package caddytest runs Fielato within Caddy for tests. The test packages of caddymodule and of
// the packages below it share it; nothing else may import it.
//
// A test starts one gateway with [Start], in front of an upstream such as [NewStub], sends requests with
// [Site.Post], and reads the records in the trail with [Site.Records]:
//
//	upstream := caddytest.NewStub(t, caddytest.Answering(200, caddytest.Approval))
//	s := caddytest.Start(t, caddytest.ProxyTo(upstream.URL))
//	got := s.Post("FECAESolicitar", caddytest.Invoice(1))
//
// Caddy is one per process: the tests of a package that start a gateway run one after another,
// and tests that have to run at the same time start gateways as processes with [StartProcess].
// Those are processes of the test binary, so TestMain of each package is [Main], beside which
// caddymodule is imported.
//
//	site, response, observe     a gateway, its clients, what can be seen of it
//	configuration, admin        configurations that are adapted, and the admin API
//	upstream, moody, disk       services and stores that fail as a test wants
//	process, roles, command     processes of the test binary, and what they do
//	fleet, once, kill           clients that behave as real ones do, and processes that die
//	marker, vault, ticket       credentials that must not be found anywhere
//	trails, shared, postgres    stores with records in them
//	exported                    what leaves a store, for the other program that verifies it
//	contract, bench             what every answer holds, and what benchmarks share
//
// Addresses are of the process alone (see [FreeAddress]): packages may be tested at the same time.
package caddytest
