package caddytest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// EdgeAuthority issues certificates.
type EdgeAuthority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// Certified is a certificate with its key.
type Certified struct{ Pair tls.Certificate }

// NewEdgeAuthority makes an authority for the length of a test.
func NewEdgeAuthority(t *testing.T) *EdgeAuthority {
	t.Helper()
	key := newECKey(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	return &EdgeAuthority{certificate: sign509(t, template, template, key, key), key: key}
}

func newECKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func sign509(t *testing.T, template, parent *x509.Certificate, key, by *ecdsa.PrivateKey) *x509.Certificate {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, by)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return certificate
}

// Certify issues a certificate for a server with these names, or for a client.
func (a *EdgeAuthority) Certify(t *testing.T, subject pkix.Name, names ...string) Certified {
	t.Helper()
	key := newECKey(t)
	certificate := sign509(t, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: subject, DNSNames: names, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth}, KeyUsage: x509.KeyUsageDigitalSignature,
	}, a.certificate, key, a.key)
	return Certified{tls.Certificate{Certificate: [][]byte{certificate.Raw}, PrivateKey: key}}
}

// Pool is what trusts the authority.
func (a *EdgeAuthority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return pool
}

// File writes the certificate of the authority into a file.
func (a *EdgeAuthority) File(t *testing.T) string {
	t.Helper()
	return pemFile(t, "CERTIFICATE", a.certificate.Raw)
}

// Files writes the certificate and its key into files.
func (c Certified) Files(t *testing.T) (certificate, key string) {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(c.Pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return pemFile(t, "CERTIFICATE", c.Pair.Certificate[0]), pemFile(t, "PRIVATE KEY", der)
}

func pemFile(t *testing.T, kind string, der []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file.pem")
	if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
