package tickets

import (
	"errors"
	"fmt"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/checkpoint"
	"github.com/fielato/fielato/caddymodule/internal/directive"
	"github.com/fielato/fielato/caddymodule/internal/keyfile"
	"github.com/fielato/fielato/internal/sshagent"
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
// their owner may be able to read the file that has the key. key may name one in an ssh-agent.
func ReadCredential(certificate, key string, passphrase wsfev1.Secret) (*credential.Credential, error) {
	if sshagent.IsOption(key) {
		return readHeld(certificate, key, passphrase)
	}
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

// readHeld reads a certificate whose private key is in an ssh-agent, which it does not ask.
func readHeld(certificate, option string, passphrase wsfev1.Secret) (*credential.Credential, error) {
	key, err := sshagent.Parse(option, directive.ResolvePath)
	if err != nil {
		return nil, fmt.Errorf("key: %w", err)
	}
	if passphrase != "" {
		return nil, errors.New("the agent has opened the key already: leave the passphrase out")
	}
	text, err := ReadCertificate(certificate)
	if err != nil {
		return nil, err
	}
	c, err := credential.ParseCertificate(text)
	if err != nil {
		return nil, err
	}
	public := c.Certificate().PublicKey
	if !key.Is(public) {
		return nil, fmt.Errorf("%w: the agent's is %s, and the certificate's has the fingerprint %s", credential.ErrMismatch, key.Fingerprint, sshagent.FingerprintOf(public))
	}
	return credential.New(c.Certificate(), key.With(public))
}

// readKey reads a file with a private key.
func readKey(file string) ([]byte, error) {
	return keyfile.Read("the private key", file, func(text string) ([]byte, error) { return []byte(text), nil })
}

// Issuers returns the CUITs of a block that Prepare has read, none if they are not known.
func (o *Options) Issuers() []wsfev1.CUIT { return o.cuits }

// Read checks what needs no file, and reads the certificate and its key. It does not judge whether the
// login service would take them.
func (o *Options) Read() (Place, *credential.Credential, error) {
	if err := o.check(); err != nil {
		return Place{}, nil, err
	}
	err := o.readCredential()
	return o.at, o.credential, err
}

// load reads the files of a block that check has passed. A certificate that the login service would refuse
// is an error.
func (o *Options) load(now time.Time) (err error) {
	err = o.readCredential()
	o.setOwner()
	if err != nil {
		return err
	}
	if err := o.credential.Check(o.at.Environment, now); err != nil {
		return o.named(err)
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

// named returns an error about the certificate with its file, and with its identity as far as that is known.
func (o *Options) named(err error) error {
	if o.identity.Known() {
		return fmt.Errorf("certificate %s (%s): %w", o.Certificate, o.identity, err)
	}
	return fmt.Errorf("certificate %s: %w", o.Certificate, err)
}

// files returns the paths of the certificate and of the key, empty if that is in the same file.
func (o *Options) files() (certificate, key string, err error) {
	if o.match != nil {
		return o.Certificate, o.Key, o.match.err
	}
	if certificate, err = directive.ResolvePath(o.Certificate); err != nil {
		return "", "", fmt.Errorf("certificate: %w", err)
	}
	if key = o.Key; o.Key != "" && !sshagent.IsOption(o.Key) {
		if key, err = directive.ResolvePath(o.Key); err != nil {
			return "", "", fmt.Errorf("key: %w", err)
		}
	}
	return certificate, key, nil
}

// readCredential reads the certificate and its key. Errors name a placeholder and never its value.
func (o *Options) readCredential() error {
	o.credential, o.identity = nil, credential.Identity{}
	certificate, key, err := o.files()
	if err != nil {
		return err
	}
	passphrase := ""
	if o.Passphrase != "" {
		if passphrase, err = directive.Resolve(o.Passphrase); err != nil {
			return fmt.Errorf("passphrase %s: %w", o.Passphrase, err)
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
		o.identity = identityIn(certificate)
		return o.named(err)
	}
	o.credential, o.identity = c, c.Identity()
	if o.match != nil && o.identity.CUIT != 0 {
		if err := o.identity.CUIT.Check(); err != nil {
			return o.named(err)
		}
	}
	return nil
}

// identityIn returns whose certificate a file has, whatever is wrong with its key; zero if that cannot be read.
func identityIn(file string) credential.Identity {
	text, err := ReadCertificate(file)
	if err != nil {
		return credential.Identity{}
	}
	c, err := credential.ParseCertificate(text)
	if err != nil {
		return credential.Identity{}
	}
	return c.Identity()
}
