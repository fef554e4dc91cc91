package credential

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fielato/fielato/wsfev1"
)

// maxName is the longest organization and alias, in characters (X.520).
const maxName = 64

// Request is a new private key and the request for its certificate (CSR), both in PEM.
type Request struct {
	// Key is the private key: PKCS #8, RSA of 2048 bits. Whoever writes it to a file keeps others from
	// reading it.
	Key wsfev1.Secret
	// CSR is the request to upload to the authority's portal.
	CSR []byte
}

// NewRequest makes a key and the request for a certificate of a computer: its name is C=AR, O, CN
// and serialNumber "CUIT" with the digits. organization is the name of the company, and alias the
// name of the computer, which the portal asks for too.
func NewRequest(cuit wsfev1.CUIT, organization, alias string) (*Request, error) {
	if !cuit.Valid() {
		return nil, fmt.Errorf("%s is not a CUIT: eleven digits, the last of which checks the others", cuit)
	}
	for what, name := range map[string]string{"organization": organization, "alias": alias} {
		if err := checkName(name); err != nil {
			return nil, fmt.Errorf("the %s %w", what, err)
		}
	}
	key, err := rsa.GenerateKey(rand.Reader, minBits)
	if err != nil {
		return nil, fmt.Errorf("making a private key: %w", err)
	}
	template := &x509.CertificateRequest{
		Subject: pkix.Name{
			Country: []string{"AR"}, Organization: []string{organization}, CommonName: alias, SerialNumber: fmt.Sprintf("CUIT %011d", uint64(cuit)),
		},
		SignatureAlgorithm: x509.SHA256WithRSA,
	}
	csr, err := x509.CreateCertificateRequest(rand.Reader, template, key)
	if err != nil {
		return nil, fmt.Errorf("making a request for a certificate: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encoding a private key: %w", err)
	}
	return &Request{
		Key: wsfev1.Secret(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
		CSR: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: csr}),
	}, nil
}

func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("is empty")
	case strings.TrimSpace(name) != name:
		return errors.New("begins or ends with a blank")
	case utf8.RuneCountInString(name) > maxName:
		return fmt.Errorf("has more than %d characters", maxName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return errors.New("has characters that cannot be printed")
	}
	return nil
}
