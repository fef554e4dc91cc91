package tickets

import (
	"errors"
	"fmt"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/checkpoint"
	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/internal/keyfile"
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

// Read checks what needs no file, and reads the certificate and its key. It does not judge whether the
// login service would take them.
func (o *Options) Read() (Place, *credential.Credential, error) {
	if err := o.check(); err != nil {
		return Place{}, nil, err
	}
	c, err := o.readCredential()
	return o.at, c, err
}

// load reads the files of a block that check has passed. A certificate that the login service would refuse
// is an error.
func (o *Options) load(now time.Time) (err error) {
	if o.credential, err = o.readCredential(); err != nil {
		return err
	}
	if err := o.credential.Check(o.at.Environment, now); err != nil {
		return fmt.Errorf("certificate %s: %w", o.Certificate, err)
	}
	if o.TLSCA == "" {
		return nil
	}
	if o.tlsCA, err = directive.ResolvePath(o.TLSCA); err != nil {
		return fmt.Errorf("tls_ca: %w", err)
	}
	if o.authorities, err = checkpoint.ReadAtMost(o.tlsCA, maxFile); err != nil {
		return fmt.Errorf("tls_ca: %w", err)
	}
	return nil
}

// readCredential reads the certificate and its key. Errors name a placeholder and never its value.
func (o *Options) readCredential() (*credential.Credential, error) {
	certificate, err := directive.ResolvePath(o.Certificate)
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	key, passphrase := "", ""
	if o.Key != "" {
		if key, err = directive.ResolvePath(o.Key); err != nil {
			return nil, fmt.Errorf("key: %w", err)
		}
	}
	if o.Passphrase != "" {
		if passphrase, err = directive.Resolve(o.Passphrase); err != nil {
			return nil, fmt.Errorf("passphrase %s: %w", o.Passphrase, err)
		}
	}
	c, err := ReadCredential(certificate, key, wsfev1.Secret(passphrase))
	switch {
	case errors.Is(err, credential.ErrNoPassphrase):
		err = fmt.Errorf("%w: write passphrase {env.NAME}", err)
	case errors.Is(err, credential.ErrNoKey) && o.Key == "":
		err = fmt.Errorf("%w: name its file with key", err)
	}
	if err != nil {
		return nil, fmt.Errorf("certificate %s: %w", o.Certificate, err)
	}
	return c, nil
}
