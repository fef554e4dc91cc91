package login

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"github.com/fielato/fielato/caddymodule/checkpoint"
	"github.com/fielato/fielato/caddymodule/keyfile"
	"github.com/fielato/fielato/wsaa/credential"
	"github.com/fielato/fielato/wsfev1"
)

// maxFile bounds the file of a certificate. One with a chain and a key has some kilobytes.
const maxFile = 1 << 20

// keyFlags name the private key of a certificate.
type keyFlags struct{ key, passphraseVariable string }

func (f *keyFlags) bind(set *pflag.FlagSet, usage string) {
	set.StringVar(&f.key, "key", "", usage)
	set.StringVar(&f.passphraseVariable, "passphrase-env", "", "The environment variable with the passphrase of the private key")
}

// passphrase returns the passphrase, empty if no variable is named.
func (f *keyFlags) passphrase() (wsfev1.Secret, error) {
	if f.passphraseVariable == "" {
		return "", nil
	}
	text := os.Getenv(f.passphraseVariable)
	if text == "" {
		// The name is not repeated: it may be the passphrase itself.
		return "", errors.New("--passphrase-env: there is no such environment variable, or it is empty: give the name of the one that has the passphrase")
	}
	return wsfev1.Secret(text), nil
}

// credential reads a certificate and its key. Only their owner may be able to read the file that
// has the key.
func (f *keyFlags) credential(certificate string) (*credential.Credential, error) {
	source, err := f.source(certificate)
	if err != nil {
		return nil, err
	}
	if f.key != "" {
		if source.Key, err = readKey(f.key); err != nil {
			return nil, err
		}
	}
	c, err := credential.Parse(source)
	if err == nil && f.key == "" {
		_, err = readKey(certificate) // it has the key too
	}
	if err != nil {
		return nil, f.explain(err)
	}
	return c, nil
}

// readKey reads a file with a private key.
func readKey(path string) ([]byte, error) {
	return keyfile.Read("the private key", path, func(text string) ([]byte, error) { return []byte(text), nil })
}

// source reads the certificate and the passphrase.
func (f *keyFlags) source(certificate string) (source credential.Source, err error) {
	if source.Passphrase, err = f.passphrase(); err != nil {
		return source, err
	}
	if source.Certificate, err = checkpoint.ReadAtMost(certificate, maxFile); err != nil {
		return source, fmt.Errorf("reading the certificate: %w", err)
	}
	return source, nil
}

// explain adds to an error how to give what is missing.
func (f *keyFlags) explain(err error) error {
	switch {
	case errors.Is(err, credential.ErrNoPassphrase):
		return fmt.Errorf("%w: put it into an environment variable, and name that with --passphrase-env", err)
	case errors.Is(err, credential.ErrNoKey) && f.key == "":
		return fmt.Errorf("%w: name its file with --key", err)
	}
	return err
}
