package credential

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
)

// noKey returns why a text holds no private key.
func noKey(why string) error {
	return fmt.Errorf("%w: %s: give the key with which the certificate was requested (PEM)", ErrNoKey, why)
}

// errDamaged replaces the errors of the parsers, which may quote what they have read.
var errDamaged = noKey("it cannot be read")

// parseKey reads a private key in PEM or DER, encrypted or not.
func parseKey(text []byte, passphrases []string) (any, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, noKey("the file is empty")
	}
	why := "there is none"
	found := false
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		found = true
		switch {
		case block.Type == "OPENSSH PRIVATE KEY":
			return nil, noKey("it is one of OpenSSH, and `ssh-keygen -p -m PEM -f <key>` turns it into PEM")
		case strings.HasSuffix(block.Type, "PRIVATE KEY"):
			return parseBlock(block, passphrases)
		case block.Type == "PUBLIC KEY":
			why = "it is the public key"
		case strings.HasPrefix(block.Type, "CERTIFICATE"):
			why = "there is a certificate alone"
		}
	}
	if found {
		return nil, noKey(why)
	}
	if key, err := parseDER(text); err == nil {
		return key, nil
	}
	return decrypt(passphrases, func(passphrase []byte) ([]byte, error) { return openPKCS8(text, passphrase) })
}

func parseBlock(block *pem.Block, passphrases []string) (any, error) {
	switch {
	case block.Type == "ENCRYPTED PRIVATE KEY":
		return decrypt(passphrases, func(passphrase []byte) ([]byte, error) { return openPKCS8(block.Bytes, passphrase) })
	case block.Headers["DEK-Info"] != "":
		return decrypt(passphrases, func(passphrase []byte) ([]byte, error) {
			der, err := x509.DecryptPEMBlock(block, passphrase) //nolint:staticcheck // older programs encrypt keys in no other way, and the file is the operator's
			if errors.Is(err, x509.IncorrectPasswordError) {
				return nil, ErrPassphrase
			}
			if err != nil {
				return nil, ErrEncryption
			}
			return der, nil
		})
	}
	return parseDER(block.Bytes)
}

// decrypt opens a key with the first of the passphrases that does.
func decrypt(passphrases []string, open func(passphrase []byte) ([]byte, error)) (key any, err error) {
	for _, passphrase := range passphrases {
		var der []byte
		if der, err = open([]byte(passphrase)); err == nil {
			// A wrong passphrase gives a padding that looks right now and then.
			if key, err = parseDER(der); err == nil {
				return key, nil
			}
			err = ErrPassphrase
		}
		if errors.Is(err, ErrPassphrase) && passphrase == "" {
			err = ErrNoPassphrase
		}
	}
	return nil, err
}

// parseDER reads a private key that is not encrypted.
func parseDER(der []byte) (any, error) {
	if key, err := x509.ParsePKCS8PrivateKey(der); err == nil {
		return key, nil
	}
	if key, err := x509.ParsePKCS1PrivateKey(der); err == nil {
		return key, nil
	}
	if _, err := x509.ParseECPrivateKey(der); err == nil {
		return nil, ErrKeyType
	}
	return nil, errDamaged
}
