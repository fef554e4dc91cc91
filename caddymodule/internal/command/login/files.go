package login

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"github.com/fielato/fielato/caddymodule/internal/tickets"
	"github.com/fielato/fielato/wsaa/credential"
	"github.com/fielato/fielato/wsfev1"
)

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
	passphrase, err := f.passphrase()
	if err != nil {
		return nil, err
	}
	c, err := tickets.ReadCredential(certificate, f.key, passphrase)
	if err != nil {
		return nil, f.explain(err)
	}
	return c, nil
}

// explain adds to an error how to give the missing key or passphrase.
func (f *keyFlags) explain(err error) error {
	switch {
	case errors.Is(err, credential.ErrNoPassphrase):
		return fmt.Errorf("%w: put it into an environment variable, and name that with --passphrase-env", err)
	case errors.Is(err, credential.ErrNoKey) && f.key == "":
		return fmt.Errorf("%w: name its file with --key", err)
	}
	return err
}
