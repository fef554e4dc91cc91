package credential

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"strings"

	"software.sslmate.com/src/go-pkcs12"

	"github.com/fielato/fielato/wsfev1"
)

// Source is a certificate and its key as files have them.
type Source struct {
	// Certificate is a certificate in PEM or DER, or a PKCS #12 with certificate and key.
	Certificate []byte
	// Key is the private key in PEM or DER: PKCS #8, encrypted or not, or PKCS #1. It is empty
	// with a PKCS #12, or if the PEM of the certificate has the key too.
	Key []byte
	// Passphrase opens the key or the PKCS #12, empty for none. A line break at its end does
	// not count unless it must.
	Passphrase wsfev1.Secret
}

// Parse reads a credential. Of several certificates it takes the one of the key.
func Parse(source Source) (*Credential, error) {
	certificates, err := parseCertificates(source.Certificate)
	if err == nil {
		return source.parseApart(certificates)
	}
	key, certificate, errPKCS12 := parsePKCS12(source.Certificate, source.passphrases())
	switch {
	case errPKCS12 == nil && len(source.Key) > 0:
		return nil, errors.New("the PKCS #12 has the private key already: leave the key out")
	case errPKCS12 == nil:
		return credentialOf(key, certificate)
	case errors.Is(errPKCS12, ErrPassphrase), errors.Is(errPKCS12, ErrNoPassphrase):
		return nil, errPKCS12
	}
	return nil, err
}

// ParseCertificate reads a certificate without its key, the first if there are several. Check and
// Doubt judge it as any other; Sign fails with ErrNoKey. Errors wrap ErrNoCertificate or ErrKeyType.
func ParseCertificate(text []byte) (*Credential, error) {
	certificates, err := parseCertificates(text)
	if err != nil {
		return nil, err
	}
	return New(certificates[0], keyless{certificates[0].PublicKey})
}

// keyless stands for a private key that is not there.
type keyless struct{ public crypto.PublicKey }

// Public implements crypto.Signer.
func (k keyless) Public() crypto.PublicKey { return k.public }

// Sign implements crypto.Signer.
func (keyless) Sign(io.Reader, []byte, crypto.SignerOpts) ([]byte, error) { return nil, ErrNoKey }

// parseApart reads the key that belongs to one of the certificates.
func (source Source) parseApart(certificates []*x509.Certificate) (*Credential, error) {
	text := source.Key
	if len(text) == 0 {
		text = source.Certificate
	}
	key, err := parseKey(text, source.passphrases())
	if err != nil {
		return nil, err
	}
	return credentialOf(key, certificates...)
}

// credentialOf returns the credential made of a key and of its own certificate among these.
func credentialOf(key any, certificates ...*x509.Certificate) (*Credential, error) {
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, ErrKeyType
	}
	for _, c := range certificates {
		if public, ok := c.PublicKey.(*rsa.PublicKey); ok && public.Equal(signer.Public()) {
			return New(c, signer)
		}
	}
	return New(certificates[0], signer)
}

// passphrases returns the possible passphrases. A passphrase from a file often ends with a line break.
func (source Source) passphrases() []string {
	text := source.Passphrase.Reveal()
	if short := strings.TrimRight(text, "\r\n"); short != text {
		return []string{text, short}
	}
	return []string{text}
}

// noCertificate returns why a text holds no certificate.
func noCertificate(why string) error {
	return fmt.Errorf("%w: %s: give the certificate that the authority's portal has issued (PEM), or a PKCS #12 with certificate and key", ErrNoCertificate, why)
}

// parseCertificates reads all certificates of a PEM text, or one in DER.
func parseCertificates(text []byte) (certificates []*x509.Certificate, err error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, noCertificate("the file is empty")
	}
	if one, err := x509.ParseCertificate(text); err == nil {
		return []*x509.Certificate{one}, nil
	}
	why := "it is neither PEM nor DER"
	if text[0] == 0x30 {
		why = "it is DER that cannot be read, and `openssl pkcs12 -in <file> -nodes` writes a PKCS #12 as PEM"
	}
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		switch {
		case block.Type == "CERTIFICATE" || block.Type == "X509 CERTIFICATE":
			certificate, err := x509.ParseCertificate(block.Bytes)
			if err != nil {
				return nil, noCertificate("the PEM cannot be read as one") // the error may quote a key that was misnamed
			}
			certificates = append(certificates, certificate)
		case strings.HasSuffix(block.Type, "CERTIFICATE REQUEST"):
			why = "it is a request for one (CSR), which belongs to the portal"
		case strings.HasSuffix(block.Type, "PRIVATE KEY"):
			why = "it is a private key"
		}
	}
	if len(certificates) == 0 {
		return nil, noCertificate(why)
	}
	return certificates, nil
}

// parsePKCS12 reads the key and the certificate of a PKCS #12.
func parsePKCS12(data []byte, passphrases []string) (key any, certificate *x509.Certificate, err error) {
	for _, passphrase := range passphrases {
		key, certificate, _, err = pkcs12.DecodeChain(data, passphrase)
		switch {
		case err == nil:
			return key, certificate, nil
		case errors.Is(err, pkcs12.ErrIncorrectPassword), errors.Is(err, pkcs12.ErrDecryption):
			err = ErrPassphrase
			if passphrase == "" {
				err = ErrNoPassphrase
			}
		}
	}
	return nil, nil, err
}
