package wsaa

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"time"

	"github.com/fielato/fielato/wsaa/internal/cms"
)

// Trust is which certificates may log in. The zero value trusts every one. It is for tests: the client
// chooses the name in the certificate.
type Trust struct{ roots *x509.CertPool }

// TrustOf returns the Trust in certificates that one of those in a PEM text has issued, over
// any number of steps, or that are among them.
func TrustOf(text []byte) (Trust, error) {
	roots := x509.NewCertPool()
	for n := 1; ; n++ {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			if n == 1 {
				return Trust{}, ErrNoCertificate
			}
			return Trust{roots}, nil
		}
		if block.Type != "CERTIFICATE" {
			return Trust{}, fmt.Errorf("part %d is %q, not a certificate", n, block.Type)
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return Trust{}, fmt.Errorf("certificate %d: %w", n, err)
		}
		roots.AddCert(certificate)
	}
}

// refusal returns why a signer is refused at a moment, nil if it is not. As in all of the standard
// library, a certificate that was signed with SHA-1 is no certificate: the authority has issued
// none for longer than one lives.
func (t Trust) refusal(signed *cms.Signed, now time.Time) *Fault {
	switch {
	case now.Before(signed.Signer.NotBefore):
		return refuse(CertificateInvalid, "the certificate is valid from "+signed.Signer.NotBefore.Format(time.RFC3339))
	case now.After(signed.Signer.NotAfter):
		return refuse(CertificateExpired, "the certificate was valid until "+signed.Signer.NotAfter.Format(time.RFC3339))
	case t.roots == nil:
		return nil
	}
	others := x509.NewCertPool()
	for _, c := range signed.Certificates {
		others.AddCert(c)
	}
	_, err := signed.Signer.Verify(x509.VerifyOptions{
		Roots: t.roots, Intermediates: others, CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny},
	})
	if err != nil {
		return NewFault(CertificateUntrusted, err)
	}
	return nil
}
