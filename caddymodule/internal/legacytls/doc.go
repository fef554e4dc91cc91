// Package legacytls is the option legacy_tls: what is offered to servers that have no cipher suite with
// forward secrecy, and what to do about a handshake that failed. The way to the invoicing service and
// that to the login service have it.
package legacytls
