package credential

import "errors"

// The errors of Parse and New.
var (
	// ErrNoCertificate: what was given holds no certificate.
	ErrNoCertificate = errors.New("no certificate")
	// ErrNoKey: what was given holds no private key.
	ErrNoKey = errors.New("no private key")
	// ErrNoPassphrase: the key is encrypted and there is no passphrase.
	ErrNoPassphrase = errors.New("the private key is encrypted: give its passphrase")
	// ErrPassphrase: the passphrase is not the key's.
	ErrPassphrase = errors.New("the passphrase does not open the private key: give the one with which it was made")
	// ErrEncryption: the key is encrypted in a way that is not read here.
	ErrEncryption = errors.New("the private key is encrypted in a way that is not read here: " +
		"`openssl pkcs8 -topk8 -v2 aes256 -in old.key -out new.key` writes it in one that is")
	// ErrKeyType: the login service takes no signatures of such a key.
	ErrKeyType = errors.New("the login service takes RSA keys of 2048 to 8192 bits alone: make a new key and request a certificate for it")
	// ErrMismatch: certificate and key do not belong together.
	ErrMismatch = errors.New("the private key is not that of the certificate: give the key with which the certificate was requested")
)

// The errors of Check.
var (
	// ErrNotYetValid: the certificate begins in the future.
	ErrNotYetValid = errors.New("the certificate is not yet valid: set the clock of this machine, or wait")
	// ErrExpired: the certificate has ended.
	ErrExpired = errors.New("the certificate has expired: request a new one at the authority's portal, and give it in its place")
	// ErrEnvironment: the certificate is of another environment than the login service.
	ErrEnvironment = errors.New("the certificate is of the other environment")
	// ErrNoCUIT: the certificate belongs to no CUIT.
	ErrNoCUIT = errors.New("the certificate acts for no CUIT: request one with serialNumber=\"CUIT\" and the eleven digits in its subject")
)
