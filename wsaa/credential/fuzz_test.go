package credential_test

import (
	"testing"

	"github.com/fielato/fielato/wsaa/credential"
	"github.com/fielato/fielato/wsfev1"
)

// FuzzParse reads whatever somebody gives for a certificate and its key: it is read or refused.
func FuzzParse(f *testing.F) {
	for _, name := range []string{
		"pkcs1.key", "pkcs8.key", "aes256-sha256.key", "aes128-sha512.key", "des3-sha1.key", "traditional.key", "encrypted.der", "scrypt.key", "pbes1.key",
	} {
		f.Add(file(f, "computer.crt"), file(f, name), "prueba")
		f.Add(derOf(f, file(f, "computer.crt")), file(f, name), "")
	}
	for _, name := range []string{"modern.p12", "legacy.p12", "open.p12"} {
		f.Add(file(f, name), []byte(nil), "prueba\n")
		f.Add(file(f, name), []byte("x"), "")
	}
	f.Fuzz(func(t *testing.T, certificate, key []byte, passphrase string) {
		c, err := credential.Parse(credential.Source{Certificate: certificate, Key: key, Passphrase: wsfev1.Secret(passphrase)})
		if (c == nil) != (err != nil) {
			t.Fatalf("%v, %v", c, err)
		}
		_, _ = credential.ParseCertificate(certificate)
	})
}
