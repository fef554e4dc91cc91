package credential_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fielato/fielato/internal/testrun"
	"github.com/fielato/fielato/internal/wsaatest"
	"github.com/fielato/fielato/wsaa/credential"
	"github.com/fielato/fielato/wsaa/internal/cms"
)

// file reads one of the files that OpenSSL has made: one key in all its forms, with the passphrase
// "prueba" where there is one, and a certificate of it.
func file(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func derOf(t testing.TB, text []byte) []byte {
	t.Helper()
	block, _ := pem.Decode(text)
	if block == nil {
		t.Fatal("no PEM")
	}
	return block.Bytes
}

// TestEveryFormIsRead, and makes signatures that the login service verifies.
func TestEveryFormIsRead(t *testing.T) {
	certificate, key := file(t, "computer.crt"), file(t, "pkcs8.key")
	other := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: wsaatest.NewClient(t, wsaatest.Spec{}).Certificate.Raw})
	for name, source := range map[string]credential.Source{
		"PKCS #1":                       {Certificate: certificate, Key: file(t, "pkcs1.key")},
		"PKCS #8":                       {Certificate: certificate, Key: key},
		"a passphrase that is not used": {Certificate: certificate, Key: key, Passphrase: "prueba"},
		"AES-256, SHA-256":              {Certificate: certificate, Key: file(t, "aes256-sha256.key"), Passphrase: "prueba"},
		"AES-128, SHA-512":              {Certificate: certificate, Key: file(t, "aes128-sha512.key"), Passphrase: "prueba"},
		"3DES, SHA-1":                   {Certificate: certificate, Key: file(t, "des3-sha1.key"), Passphrase: "prueba"},
		"traditional":                   {Certificate: certificate, Key: file(t, "traditional.key"), Passphrase: "prueba"},
		"a line break":                  {Certificate: certificate, Key: file(t, "aes256-sha256.key"), Passphrase: "prueba\r\n"},
		"PKCS #12":                      {Certificate: file(t, "modern.p12"), Passphrase: "prueba"},
		"PKCS #12, a line break":        {Certificate: file(t, "modern.p12"), Passphrase: "prueba\n"},
		"PKCS #12, RC2 and 3DES":        {Certificate: file(t, "legacy.p12"), Passphrase: "prueba"},
		"PKCS #12, empty passphrase":    {Certificate: file(t, "open.p12")},
		"DER":                           {Certificate: derOf(t, certificate), Key: derOf(t, file(t, "pkcs1.key"))},
		"DER, encrypted":                {Certificate: derOf(t, certificate), Key: file(t, "encrypted.der"), Passphrase: "prueba"},
		"one file":                      {Certificate: slicesConcat(key, certificate)},
		"a chain, the issuer first":     {Certificate: slicesConcat(other, certificate), Key: key},
		"text around":                   {Certificate: slicesConcat([]byte("subject=...\n"), certificate, []byte("\n\n")), Key: key},
		"ends of line of Windows":       {Certificate: bytes.ReplaceAll(certificate, []byte("\n"), []byte("\r\n")), Key: bytes.ReplaceAll(key, []byte("\n"), []byte("\r\n"))},
	} {
		c, err := credential.Parse(source)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.CUIT() != 20111111112 || c.Name() != "CN=prueba, SERIALNUMBER=CUIT 20111111112" || len(c.Fingerprint()) != 64 {
			t.Errorf("%s: %s, %s", name, c.Name(), c.Fingerprint())
		}
		message, err := c.Sign([]byte("hola"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if signed, err := cms.Verify(message); err != nil || string(signed.Content) != "hola" || !signed.Signer.Equal(c.Certificate()) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func slicesConcat(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func encode(t testing.TB, kind string, key any) []byte {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// TestWhatIsWrongIsNamed, with its cure, and no text of it has a part of a key or a passphrase.
func TestWhatIsWrongIsNamed(t *testing.T) {
	const secret = "una-clave-secreta"
	certificate, key := file(t, "computer.crt"), file(t, "pkcs8.key")
	another := encode(t, "PRIVATE KEY", wsaatest.SharedKey(t))
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	short, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	shortCertificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: wsaatest.NewClient(t, wsaatest.Spec{Key: short}).Certificate.Raw})
	ofCurve := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: wsaatest.NewClient(t, wsaatest.Spec{Key: curve}).Certificate.Raw})
	request, err := credential.NewRequest(20111111112, "Prueba SA", "prueba")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		source credential.Source
		want   error
		text   string
	}{
		"nothing":                     {credential.Source{}, credential.ErrNoCertificate, "empty"},
		"no key":                      {credential.Source{Certificate: certificate}, credential.ErrNoKey, "certificate alone"},
		"a blank key":                 {credential.Source{Certificate: certificate, Key: []byte(" \n")}, credential.ErrNoKey, "empty"},
		"a request as certificate":    {credential.Source{Certificate: request.CSR, Key: []byte(request.Key.Reveal())}, credential.ErrNoCertificate, "belongs to the portal"},
		"the key as certificate":      {credential.Source{Certificate: key, Key: certificate}, credential.ErrNoCertificate, "it is a private key"},
		"a text as certificate":       {credential.Source{Certificate: []byte("hola"), Key: key}, credential.ErrNoCertificate, "neither PEM nor DER"},
		"a text as key":               {credential.Source{Certificate: certificate, Key: []byte("hola")}, credential.ErrNoKey, "cannot be read"},
		"a public key":                {credential.Source{Certificate: certificate, Key: pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY"})}, credential.ErrNoKey, "public key"},
		"a key of OpenSSH":            {credential.Source{Certificate: certificate, Key: pem.EncodeToMemory(&pem.Block{Type: "OPENSSH PRIVATE KEY"})}, credential.ErrNoKey, "ssh-keygen -p"},
		"a damaged certificate":       {credential.Source{Certificate: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: derOf(t, key)}), Key: key}, credential.ErrNoCertificate, "cannot be read"},
		"a key without passphrase":    {credential.Source{Certificate: certificate, Key: file(t, "aes256-sha256.key")}, credential.ErrNoPassphrase, "give its passphrase"},
		"the wrong passphrase":        {credential.Source{Certificate: certificate, Key: file(t, "aes256-sha256.key"), Passphrase: secret}, credential.ErrPassphrase, "does not open"},
		"traditional, no passphrase":  {credential.Source{Certificate: certificate, Key: file(t, "traditional.key")}, credential.ErrNoPassphrase, ""},
		"traditional, wrong":          {credential.Source{Certificate: certificate, Key: file(t, "traditional.key"), Passphrase: secret}, credential.ErrPassphrase, ""},
		"PKCS #12, no passphrase":     {credential.Source{Certificate: file(t, "modern.p12")}, credential.ErrNoPassphrase, ""},
		"PKCS #12, wrong passphrase":  {credential.Source{Certificate: file(t, "legacy.p12"), Passphrase: secret}, credential.ErrPassphrase, ""},
		"PKCS #12, cut":               {credential.Source{Certificate: file(t, "modern.p12")[:2000], Passphrase: secret}, credential.ErrNoCertificate, "openssl pkcs12"},
		"PKCS #12 and a key":          {credential.Source{Certificate: file(t, "modern.p12"), Key: key, Passphrase: "prueba"}, nil, "leave the key out"},
		"scrypt":                      {credential.Source{Certificate: certificate, Key: file(t, "scrypt.key"), Passphrase: "prueba"}, credential.ErrEncryption, "openssl pkcs8"},
		"PBES1":                       {credential.Source{Certificate: certificate, Key: file(t, "pbes1.key"), Passphrase: "prueba"}, credential.ErrEncryption, "openssl pkcs8"},
		"of another key":              {credential.Source{Certificate: certificate, Key: another}, credential.ErrMismatch, "with which the certificate was requested"},
		"an elliptic key":             {credential.Source{Certificate: ofCurve, Key: encode(t, "PRIVATE KEY", curve)}, credential.ErrKeyType, "ecdsa"},
		"a short key":                 {credential.Source{Certificate: shortCertificate, Key: encode(t, "PRIVATE KEY", short)}, credential.ErrKeyType, "1024 bits"},
		"a key of another envelope":   {credential.Source{Certificate: certificate, Key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte(secret)})}, credential.ErrNoKey, "cannot be read"},
		"encrypted, but a plain text": {credential.Source{Certificate: certificate, Key: pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: []byte(secret)}), Passphrase: secret}, credential.ErrNoKey, "cannot be read"},
	} {
		c, err := credential.Parse(test.source)
		if c != nil || err == nil || test.want != nil && !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if text := fmt.Sprintf("%v %+v %#v", err, err, err); strings.Contains(text, secret) || strings.Contains(text, "prueba") {
			t.Errorf("%s: the error quotes a secret: %s", name, text)
		}
	}
}

// TestACredentialPrintsWithoutItsKey, whatever the verb.
func TestACredentialPrintsWithoutItsKey(t *testing.T) {
	c, err := credential.Parse(credential.Source{Certificate: file(t, "computer.crt"), Key: file(t, "pkcs1.key")})
	if err != nil {
		t.Fatal(err)
	}
	want := "certificate of CN=prueba, SERIALNUMBER=CUIT 20111111112"
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x"} {
		if got := fmt.Sprintf(verb, c); got != want {
			t.Errorf("%s: %s", verb, got)
		}
	}
}

// TestADamagedKeyIsAnError, whichever byte of it is, unless it signs all the same: parts of a key
// only make it faster.
func TestADamagedKeyIsAnError(t *testing.T) {
	certificate, whole := file(t, "computer.crt"), file(t, "encrypted.der")
	stride := 17
	if testrun.Factor(t) > 0 {
		stride = 1
	}
	for i := 0; i < len(whole); i += stride {
		damaged := bytes.Clone(whole)
		damaged[i] ^= 0x41
		c, err := credential.Parse(credential.Source{Certificate: certificate, Key: damaged, Passphrase: "prueba"})
		if (c == nil) == (err == nil) || c != nil && !signs(c) {
			t.Errorf("byte %d: %v, %v", i, c, err)
		}
		c, err = credential.Parse(credential.Source{Certificate: certificate, Key: whole[:i], Passphrase: "prueba"})
		if c != nil || err == nil {
			t.Errorf("cut at byte %d: %v", i, c)
		}
	}
}

// signs reports whether the login service verifies the credential's signature.
func signs(c *credential.Credential) bool {
	message, err := c.Sign([]byte("hola"))
	if err != nil {
		return false
	}
	_, err = cms.Verify(message)
	return err == nil
}
