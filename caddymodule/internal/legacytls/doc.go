// Package legacytls is the option legacy_tls: the suites to offer to servers that have no cipher suite with
// forward secrecy, and the advice after a handshake that failed. The ways to the invoicing service and to
// the login service have it.
//
// It is a package of its own because arca and tickets both have the option, and neither may import the
// other. send reads in it what a handshake that failed proves.
package legacytls
