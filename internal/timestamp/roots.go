package timestamp

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
)

// ParseRoots reads certificates in PEM, of which there is one at least. All of them are trusted, so nothing else may be
// there.
func ParseRoots(text []byte) (roots []*x509.Certificate, err error) {
	for {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			return nil, fmt.Errorf("it holds more than certificates: %s", block.Type)
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("reading the root certificates: %w", err)
		}
		roots = append(roots, certificate)
	}
	if len(roots) == 0 {
		return nil, errors.New("it holds no certificate in PEM")
	}
	return roots, nil
}

// Pool returns the certificates as Authority takes them.
func Pool(roots []*x509.Certificate) *x509.CertPool {
	pool := x509.NewCertPool()
	for _, root := range roots {
		pool.AddCert(root)
	}
	return pool
}
