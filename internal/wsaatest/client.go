package wsaatest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"sync"
	"testing"
	"time"
)

// Client is a computer that may log in: a certificate and its key.
type Client struct {
	Certificate *x509.Certificate
	Key         crypto.Signer
}

// Spec describes a certificate. The zero value makes a certificate of CUIT 20111111112,
// self-signed, valid for the year 2026.
type Spec struct {
	// Subject is its name, by default SERIALNUMBER=CUIT 20111111112, CN=prueba.
	Subject pkix.Name
	// From and Until bound its validity.
	From, Until time.Time
	// Issuer signs it, by default its own key.
	Issuer *Client
	// Key is its key, by default one of RSA with 2048 bits.
	Key crypto.Signer
	// Authority: it may sign others.
	Authority bool
}

// sharedKey is the key of those that ask for none: to make one takes long.
var sharedKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// SharedKey returns the key that certificates have by default.
func SharedKey(t testing.TB) *rsa.PrivateKey {
	t.Helper()
	key, err := sharedKey()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// Subject returns a name as the authority gives it to computers.
func Subject(cuit, alias string) pkix.Name {
	return pkix.Name{SerialNumber: "CUIT " + cuit, CommonName: alias}
}

// NewClient makes a certificate.
func NewClient(t testing.TB, spec Spec) *Client {
	t.Helper()
	if spec.Key == nil {
		spec.Key = SharedKey(t)
	}
	if len(spec.Subject.ToRDNSequence()) == 0 {
		spec.Subject = Subject("20111111112", "prueba")
	}
	if spec.From.IsZero() {
		spec.From = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if spec.Until.IsZero() {
		spec.Until = spec.From.AddDate(0, 0, 365)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 64))
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: spec.Subject, NotBefore: spec.From, NotAfter: spec.Until,
		BasicConstraintsValid: true, IsCA: spec.Authority, SubjectKeyId: []byte(spec.Subject.CommonName),
	}
	parent, signer := template, spec.Key
	if spec.Issuer != nil {
		parent, signer = spec.Issuer.Certificate, spec.Issuer.Key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, spec.Key.Public(), signer)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &Client{certificate, spec.Key}
}
