// Package cms reads signed messages (CMS SignedData, RFC 5652) as the clients of the login service
// make them, and verifies their signature. Sign makes one, with SHA-256.
//
// Verify takes the signed attributes as they came. DER sorts them, and some clients do not: a
// library that encodes them anew before it hashes them refuses what OpenSSL accepts. Encodings of
// BER are read too: indefinite lengths, and octet strings in parts.
//
// Accepted is one signer with an RSA key and SHA-1 or SHA-256, whose certificate is in the
// message. Verify does not ask who issued that certificate, nor until when it is valid.
//
// The reader makes no copy of what it reads, except of an octet string in parts, and bounds the
// depth, the size and the number of elements.
package cms
