// Package timestamp asks for time-stamps (RFC 3161) and verifies them. A time-stamp is the signed statement of an
// authority that a document existed at a moment.
//
//	authority := &timestamp.Authority{Roots: roots}
//	query, err := authority.Query(document, rand.Reader)
//	stamp, err := authority.Accept(reply, query, time.Now()) // the answer to the query
//	stamp, err := authority.Open(reply, document)            // one that was kept
//
// # What is checked, and by whom
//
// This package reads the messages with cryptobyte, which takes DER alone, and leaves no byte of a structure unread. It
// checks the status, the imprint of the document (SHA-256), the nonce, the policy, the time, that the certificate which
// the signature names is the one that the signed attributes name by its hash (ESSCertID or ESSCertIDv2), that this
// certificate is for time-stamping alone, the type and the digest of the content among the signed attributes, and that
// the digests are SHA-256, SHA-384 or SHA-512.
//
// crypto/x509 verifies the signature, RSA (PKCS #1 v1.5) or ECDSA, over the signed attributes as they came, and the
// chain of certificates to a root, at the time of the stamp.
//
// The package pkcs7, by which the messages to WSAA are signed, is not used. It takes BER, passes over errors within,
// does not look at the type of the content, finds the certificate without its hash, and encodes the signed attributes
// anew before it verifies them.
//
// Not checked: whether a certificate was revoked, and the name in the field tsa. The name that counts is the
// certificate's.
package timestamp
