package tickets

import (
	"fmt"

	"github.com/fielato/fielato/caddymodule/checkpoint"
	"github.com/fielato/fielato/caddymodule/keyfile"
	"github.com/fielato/fielato/wsaa/credential"
	"github.com/fielato/fielato/wsfev1"
)

// maxFile bounds the file of a certificate, in bytes. One with a chain and a key has some kilobytes.
const maxFile = 1 << 20

// ReadCertificate reads the file of a certificate.
func ReadCertificate(file string) ([]byte, error) {
	text, err := checkpoint.ReadAtMost(file, maxFile)
	if err != nil {
		return nil, fmt.Errorf("reading the certificate: %w", err)
	}
	return text, nil
}

// ReadCredential reads a certificate and its private key, which are in one file if key is empty. Only
// their owner may be able to read the file that has the key.
func ReadCredential(certificate, key string, passphrase wsfev1.Secret) (*credential.Credential, error) {
	source := credential.Source{Passphrase: passphrase}
	var err error
	if source.Certificate, err = ReadCertificate(certificate); err != nil {
		return nil, err
	}
	if key != "" {
		if source.Key, err = readKey(key); err != nil {
			return nil, err
		}
	}
	c, err := credential.Parse(source)
	if err == nil && key == "" {
		_, err = readKey(certificate) // it has the key too
	}
	return c, err
}

// readKey reads a file with a private key.
func readKey(file string) ([]byte, error) {
	return keyfile.Read("the private key", file, func(text string) ([]byte, error) { return []byte(text), nil })
}
