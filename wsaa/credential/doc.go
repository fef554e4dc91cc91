// Package credential holds the credential with which a computer logs in at WSAA: a certificate and
// its private key.
//
// Parse reads them from the bytes of files: PEM or DER, a key in PKCS #1 or PKCS #8, with or
// without a passphrase, or both in one PKCS #12. New takes a key that lies in a device. Check
// finds the reasons for which the login service would refuse them, before anything is sent: a
// certificate that has expired or is not yet valid, one of the other environment, one without a
// CUIT.
//
// NewRequest makes a key and the request for a certificate, as the authority's portal takes it.
//
// Every error has its cure in its text, and wraps one of the errors below. No error and no other
// text of this package holds a part of a key or a passphrase. A Credential prints as the name of its
// certificate.
package credential
