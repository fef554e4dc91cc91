// Package wsaa knows the access tickets of the login service WSAA: it reads them, checks them,
// and makes some for tests.
//
// A Token is base64 of an XML document that says when it ends, which service it opens and for
// which issuers it acts; its Sign is the authority's signature of it. ReadTicket reads the
// one, VerifySign verifies the other, and a Checker does both for the requests of a gateway:
// it remembers what tickets say under a digest, and keeps no Token and no Sign.
//
// No error and no text of this package holds a part of a Token or a Sign.
package wsaa
