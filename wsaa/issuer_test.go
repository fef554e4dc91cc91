package wsaa_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"strings"
	"testing"

	"github.com/fielato/fielato/wsaa"
)

// TestAKeyAlwaysHasTheSameCertificate: the key alone is kept.
func TestAKeyAlwaysHasTheSameCertificate(t *testing.T) {
	issuer, err := wsaa.NewIssuer()
	if err != nil {
		t.Fatal(err)
	}
	kept, err := issuer.PrivatePEM()
	if err != nil {
		t.Fatal(err)
	}
	again, err := wsaa.ParseIssuer(kept)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(issuer.CertificatePEM(), again.CertificatePEM()) {
		t.Error("another certificate")
	}
	authority, err := wsaa.ParseAuthority(issuer.CertificatePEM())
	if err != nil || !authority.Equal(issuer.Certificate()) {
		t.Errorf("%v", err)
	}
	other, err := wsaa.NewIssuer()
	if err != nil || bytes.Equal(issuer.CertificatePEM(), other.CertificatePEM()) {
		t.Errorf("two keys have one certificate: %v", err)
	}
}

// TestWhatIsNoKeyOfAnIssuer: the error has no part of it.
func TestWhatIsNoKeyOfAnIssuer(t *testing.T) {
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(curve)
	if err != nil {
		t.Fatal(err)
	}
	elliptical := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	for _, text := range []string{
		"", "SECRETSECRET", "-----BEGIN PRIVATE KEY-----\nU0VDUkVUU0VDUkVU\n-----END PRIVATE KEY-----\n",
		"-----BEGIN CERTIFICATE-----\nU0VDUkVUU0VDUkVU\n-----END CERTIFICATE-----\n", string(elliptical),
	} {
		issuer, err := wsaa.ParseIssuer([]byte(text))
		if issuer != nil || err == nil || strings.Contains(err.Error(), "SECRET") || strings.Contains(err.Error(), "U0VD") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
