// Package audittest is the conformance suite of audit.Store (Suite, ClaimSuite, LeaseSuite, PurgeSuite),
// and helpers for the tests of its users: a store in memory, stores that fail or lie on demand,
// keys, records.
package audittest
