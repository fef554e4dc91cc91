// Package wsaa reads, checks and, for tests, makes the access tickets of the login service
// WSAA.
//
// A Token is base64 of an XML document with the time at which it ends, the service that it
// opens and the issuers for which it acts. Its Sign is the authority's signature of it.
// ReadTicket reads the one, VerifySign verifies the other, and a Checker does both for the
// requests of a gateway. A Checker lives as long as its gateway: it caches the content of
// tickets under a digest, and keeps no Token and no Sign.
//
// A Server is a login service for tests. ReadEnvelope reads the message of a client, Login
// answers it, and SOAP writes the answer as the real service does, faults included. An Issuer
// has the key for the tickets, and Logins what must outlive a Server.
//
// The client's side of a login is in the packages credential, client and keeper.
//
// No error and no text of this package holds a part of a Token or a Sign.
//
// Its use from a program is in docs/library.md.
package wsaa
