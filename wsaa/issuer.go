package wsaa

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// Issuer signs the tickets of the built-in login service. Its certificate is made from the key
// alone: the same key always has the same one.
type Issuer struct {
	key         *rsa.PrivateKey
	certificate *x509.Certificate
}

// issuerBits is the length of the key, as long as the authority's Signs. Nothing of value is signed
// with it.
const issuerBits = 8 * signLength

// pemPrivateKey is the type of the PEM block of a private key in PKCS #8.
const pemPrivateKey = "PRIVATE KEY"

// NewIssuer makes an Issuer with a new key.
func NewIssuer() (*Issuer, error) {
	key, err := rsa.GenerateKey(rand.Reader, issuerBits)
	if err != nil {
		return nil, fmt.Errorf("making the key of the login service: %w", err)
	}
	return issuerOf(key)
}

// ParseIssuer reads a private key in PEM, as PrivatePEM writes it. The error holds no part of it.
func ParseIssuer(text []byte) (*Issuer, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != pemPrivateKey {
		return nil, errors.New("no private key in PEM (PKCS #8)")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, errors.New("the private key cannot be read")
	}
	key, ok := parsed.(*rsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("the private key is of type %T, not RSA", parsed)
	}
	return issuerOf(key)
}

// PrivatePEM returns the private key in PEM.
func (i *Issuer) PrivatePEM() ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(i.key)
	if err != nil {
		return nil, fmt.Errorf("encoding the key of the login service: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: pemPrivateKey, Bytes: der}), nil
}

// Certificate returns the certificate with which a Checker verifies the Signs of the Issuer.
func (i *Issuer) Certificate() *x509.Certificate { return i.certificate }

// CertificatePEM returns the certificate in PEM, as ParseAuthority reads it.
func (i *Issuer) CertificatePEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: i.certificate.Raw})
}

// issuerOf returns the Issuer of a key. All in the certificate is fixed, and so is a signature of
// PKCS #1 v1.5.
func issuerOf(key *rsa.PrivateKey) (*Issuer, error) {
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, fmt.Errorf("the key of the login service: %w", err)
	}
	digest := sha256.Sum256(public)
	template := &x509.Certificate{
		SerialNumber: new(big.Int).SetBytes(digest[:8]),
		Subject:      pkix.Name{Country: []string{"AR"}, Organization: []string{"Fielato"}, CommonName: "fielato-test"},
		NotBefore:    time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC),
		SignatureAlgorithm: x509.SHA256WithRSA,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("making the certificate of the login service: %w", err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("making the certificate of the login service: %w", err)
	}
	return &Issuer{key, certificate}, nil
}

// sign returns the Sign of a Token's document.
func (i *Issuer) sign(document []byte) (wsfev1.Secret, error) {
	digest := sha256.Sum256(document)
	signature, err := rsa.SignPKCS1v15(rand.Reader, i.key, crypto.SHA256, digest[:])
	if err != nil {
		return "", fmt.Errorf("signing a ticket: %w", err)
	}
	return wsfev1.Secret(base64.StdEncoding.EncodeToString(signature)), nil
}
