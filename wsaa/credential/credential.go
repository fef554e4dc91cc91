package credential

import (
	"cmp"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/fielato/fielato/wsaa"
	"github.com/fielato/fielato/wsaa/internal/cms"
	"github.com/fielato/fielato/wsfev1"
)

// The lengths of keys that the authority's portal takes, in bits.
const (
	minBits = 2048
	maxBits = 8192
)

// Credential is a certificate and its private key. The key does not leave it. It is safe for
// concurrent use if the key is; one of the standard library is.
type Credential struct {
	certificate *x509.Certificate
	key         crypto.Signer
	name        string
}

// New returns the credential of a certificate and its key, which may lie in a device. Errors wrap
// ErrKeyType or ErrMismatch.
func New(certificate *x509.Certificate, key crypto.Signer) (*Credential, error) {
	public, ok := key.Public().(*rsa.PublicKey)
	if !ok {
		return nil, fmt.Errorf("%w; this one is of type %T", ErrKeyType, key.Public())
	}
	if bits := public.N.BitLen(); bits < minBits || bits > maxBits {
		return nil, fmt.Errorf("%w; this one has %d bits", ErrKeyType, bits)
	}
	if !public.Equal(certificate.PublicKey) {
		return nil, ErrMismatch
	}
	name, err := wsaa.ComputerName(certificate)
	if err != nil {
		return nil, fmt.Errorf("%w that can be read: %w", ErrNoCertificate, err)
	}
	return &Credential{certificate: certificate, key: key, name: name}, nil
}

// Sign returns a content signed as the login service wants it: a CMS in DER with RSA and SHA-256,
// the content and the certificate inside.
func (c *Credential) Sign(content []byte) ([]byte, error) {
	return cms.Sign(content, c.certificate, c.key)
}

// Certificate returns the certificate.
func (c *Credential) Certificate() *x509.Certificate { return c.certificate }

// Name returns the name of the certificate as the login service writes it.
func (c *Credential) Name() string { return c.name }

// Alias returns the part of the name that its owner has chosen, or a part of the fingerprint if there is
// none.
func (c *Credential) Alias() string {
	return cmp.Or(c.certificate.Subject.CommonName, c.Fingerprint()[:16])
}

// CUIT returns the CUIT to which the certificate belongs, 0 if its name has none.
func (c *Credential) CUIT() wsfev1.CUIT {
	cuit, err := wsaa.CertificateCUIT(c.certificate)
	if err != nil {
		return 0
	}
	return cuit
}

// Expires returns when the certificate ends.
func (c *Credential) Expires() time.Time { return c.certificate.NotAfter }

// Fingerprint returns the SHA-256 of the certificate in hexadecimal digits. It may be shown.
func (c *Credential) Fingerprint() string {
	digest := sha256.Sum256(c.certificate.Raw)
	return hex.EncodeToString(digest[:])
}

// Format writes the name of the certificate for every verb, never the key.
func (c *Credential) Format(f fmt.State, _ rune) { _, _ = fmt.Fprintf(f, "certificate of %s", c.name) }
