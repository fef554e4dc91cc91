// Package tsatest has a time-stamping authority for tests: `openssl ts`, with a chain of certificates of its own. It is
// a package of its own because tests of several packages need one.
package tsatest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// Kind is the kind of an authority's key.
type Kind string

// The kinds of keys.
const (
	P256 Kind = "P-256"
	RSA  Kind = "RSA"
)

// Policy is the policy under which an Authority stamps if none is asked for. It stamps under OtherPolicy too.
const (
	Policy      = "1.3.6.1.4.1.55555.1"
	OtherPolicy = "1.3.6.1.4.1.55555.2"
)

// Authority is a time-stamping authority. Its certificate leads to the root over one between them.
type Authority struct {
	// Roots is a PEM file with the root, Name the name in the certificate of the signer.
	Roots, Name string

	t      testing.TB
	folder string
	key    crypto.Signer
	mu     sync.Mutex // guards the file with the serial number
}

// settings are the file that openssl reads.
const settings = `[tsa]
default_tsa = one
[one]
serial = %[1]s/serial
crypto_device = builtin
signer_cert = %[1]s/tsa.crt
certs = %[1]s/between.crt
signer_key = %[1]s/tsa.key
signer_digest = sha256
default_policy = %[2]s
other_policies = %[3]s
digests = sha256, sha384
accuracy = secs:1, millisecs:500, microsecs:100
ordering = yes
tsa_name = yes
ess_cert_id_chain = no
ess_cert_id_alg = %[4]s
`

// New returns an authority whose signer has this name. The hash of the signer's certificate is by SHA-1 for keys of RSA,
// as in many answers in use, and by SHA-256 for others.
func New(t testing.TB, kind Kind, name string) *Authority {
	t.Helper()
	a := &Authority{t: t, folder: t.TempDir(), Name: name, key: newKey(t, kind)}
	a.Roots = filepath.Join(a.folder, "ca.crt")
	rootKey, betweenKey := newKey(t, kind), newKey(t, kind)
	root := certificate(t, "Raíz de prueba", nil, rootKey, rootKey)
	between := certificate(t, "Intermedia de prueba", root, betweenKey, rootKey)
	signer := certificate(t, name, between, a.key, betweenKey)
	a.write("ca.crt", pemOf("CERTIFICATE", root.Raw))
	a.write("between.crt", pemOf("CERTIFICATE", between.Raw))
	a.write("tsa.crt", pemOf("CERTIFICATE", signer.Raw))
	der, err := x509.MarshalPKCS8PrivateKey(a.key)
	if err != nil {
		t.Fatal(err)
	}
	a.write("tsa.key", pemOf("PRIVATE KEY", der))
	a.write("serial", []byte("01\n"))
	hash := "sha256"
	if kind == RSA {
		hash = "sha1"
	}
	a.write("tsa.cnf", fmt.Appendf(nil, settings, a.folder, Policy, OtherPolicy, hash))
	return a
}

// Stamp stamps a document, for a query of openssl.
func (a *Authority) Stamp(document []byte) (reply []byte) {
	a.write("document", document)
	query := filepath.Join(a.folder, "asked.tsq")
	OpenSSL(a.t, a.folder, "ts", "-query", "-data", "document", "-sha256", "-cert", "-out", query)
	content, err := os.ReadFile(query)
	if err != nil {
		a.t.Error(err)
	}
	return a.Reply(content)
}

// Reply answers a query.
func (a *Authority) Reply(query []byte) []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.write("query.tsq", query)
	answer := filepath.Join(a.folder, "reply.tsr")
	OpenSSL(a.t, a.folder, "ts", "-reply", "-config", "tsa.cnf", "-queryfile", "query.tsq", "-out", answer)
	content, err := os.ReadFile(answer)
	if err != nil {
		a.t.Error(err)
	}
	return content
}

// OpenSSL runs openssl in a folder and returns what it prints.
func OpenSSL(t testing.TB, folder string, arguments ...string) string {
	command := exec.Command("openssl", arguments...)
	command.Dir = folder
	out, err := command.CombinedOutput()
	if err != nil {
		t.Errorf("openssl %v: %v\n%s", arguments, err, out)
	}
	return string(out)
}

func (a *Authority) write(name string, content []byte) {
	if err := os.WriteFile(filepath.Join(a.folder, name), content, 0o600); err != nil { //nolint:gosec // in the folder of the test
		a.t.Error(err)
	}
}

func pemOf(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

func newKey(t testing.TB, kind Kind) crypto.Signer {
	t.Helper()
	var key crypto.Signer
	var err error
	if kind == RSA {
		key, err = rsa.GenerateKey(rand.Reader, 2048)
	} else {
		key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	}
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// certificate makes the certificate of a key: a root without a parent, one between for the parent of a root, and below
// that the signer's.
func certificate(t testing.TB, name string, parent *x509.Certificate, key, by crypto.Signer) *x509.Certificate {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name, Organization: []string{"Pruebas"}},
		NotBefore: time.Now().AddDate(0, -1, 0), NotAfter: time.Now().AddDate(0, 1, 0), BasicConstraintsValid: true,
	}
	if parent == nil || parent.Issuer.String() == parent.Subject.String() {
		template.IsCA, template.KeyUsage = true, x509.KeyUsageCertSign
	} else {
		template.KeyUsage = x509.KeyUsageDigitalSignature
		template.ExtraExtensions = []pkix.Extension{TimeStamping}
	}
	if parent == nil {
		parent = template
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), by)
	if err != nil {
		t.Fatal(err)
	}
	made, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TimeStamping is the extension of a certificate that is for time-stamping alone.
var TimeStamping = pkix.Extension{Id: asn1.ObjectIdentifier{2, 5, 29, 37}, Critical: true, Value: []byte{0x30, 0x0a, 0x06, 0x08, 0x2b, 6, 1, 5, 5, 7, 3, 8}}
