package timestamp

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"golang.org/x/crypto/cryptobyte"
	tag "golang.org/x/crypto/cryptobyte/asn1"
)

var (
	oidSigningCertificate   = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 12}
	oidSigningCertificateV2 = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 2, 47}
	oidExtKeyUsage          = asn1.ObjectIdentifier{2, 5, 29, 37}
)

// checkNamed checks that the signed attributes name the certificate by its hash, so that no other one of the same key
// can take its place. The first of the certificates that they name is the signer's.
func (s *signerInfo) checkNamed(c *x509.Certificate) error {
	first, isNamed := s.attributes[oidSigningCertificate.String()]
	if isNamed && !namedBy(first, c, false) {
		return errors.New("the signed attributes (ESSCertID) name another certificate than the signer's")
	}
	second, isNamedV2 := s.attributes[oidSigningCertificateV2.String()]
	if isNamedV2 && !namedBy(second, c, true) {
		return errors.New("the signed attributes (ESSCertIDv2) name another certificate than the signer's")
	}
	if !isNamed && !isNamedV2 {
		return errors.New("the signed attributes do not name the signer's certificate (ESSCertID or ESSCertIDv2)")
	}
	return nil
}

// namedBy reports whether a SigningCertificate, or a SigningCertificateV2, names c.
func namedBy(attribute cryptobyte.String, c *x509.Certificate, v2 bool) bool {
	var signing, all, id, sum cryptobyte.String
	if !attribute.ReadASN1(&signing, tag.SEQUENCE) || !attribute.Empty() || !signing.ReadASN1(&all, tag.SEQUENCE) ||
		!signing.SkipOptionalASN1(tag.SEQUENCE) || !signing.Empty() || !all.ReadASN1(&id, tag.SEQUENCE) {
		return false
	}
	want := sha1Of(c.Raw)
	if v2 {
		digest := crypto.SHA256
		if id.PeekASN1Tag(tag.SEQUENCE) {
			algorithm, ok := readAlgorithm(&id)
			if digest = digests[algorithm.String()]; !ok || digest == 0 {
				return false
			}
		}
		hash := digest.New()
		hash.Write(c.Raw)
		want = hash.Sum(nil)
	}
	if !id.ReadASN1(&sum, tag.OCTET_STRING) || !bytes.Equal(sum, want) {
		return false
	}
	return id.Empty() || issuedBy(id, c)
}

// issuedBy reports whether an IssuerSerial, and nothing behind it, names c.
func issuedBy(id cryptobyte.String, c *x509.Certificate) bool {
	var both, names, name, issuer cryptobyte.String
	serial := new(big.Int)
	return id.ReadASN1(&both, tag.SEQUENCE) && id.Empty() && both.ReadASN1(&names, tag.SEQUENCE) && both.ReadASN1Integer(serial) && both.Empty() &&
		names.ReadASN1(&name, constructed(4)) && names.Empty() && name.ReadASN1Element(&issuer, tag.SEQUENCE) && name.Empty() &&
		bytes.Equal(issuer, c.RawIssuer) && serial.Cmp(c.SerialNumber) == 0
}

// checkPurpose checks that a certificate is for time-stamping alone, as RFC 3161 has it.
func checkPurpose(c *x509.Certificate) error {
	alone := len(c.ExtKeyUsage) == 1 && c.ExtKeyUsage[0] == x509.ExtKeyUsageTimeStamping && len(c.UnknownExtKeyUsage) == 0
	at := slices.IndexFunc(c.Extensions, func(e pkix.Extension) bool { return e.Id.Equal(oidExtKeyUsage) })
	if !alone || at < 0 || !c.Extensions[at].Critical {
		return fmt.Errorf("the certificate of %s is not for time-stamping alone: its extended key usage must be timeStamping, critical, and nothing else", nameOf(c))
	}
	const signs = x509.KeyUsageDigitalSignature | x509.KeyUsageContentCommitment
	if c.KeyUsage != 0 && c.KeyUsage&^signs != 0 {
		return fmt.Errorf("the certificate of %s is for more than signatures: its key usage must be digitalSignature or nonRepudiation", nameOf(c))
	}
	return nil
}

// checkChain verifies the chain from the signer's certificate to a root, at the time of the stamp.
func (s *Stamp) checkChain(roots *x509.CertPool) error {
	if roots == nil {
		roots = x509.NewCertPool() // crypto/x509 would take the system's
	}
	between := x509.NewCertPool()
	for _, c := range s.certificates {
		between.AddCert(c)
	}
	_, err := s.signer.Verify(x509.VerifyOptions{
		Roots: roots, Intermediates: between, CurrentTime: s.Time, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageTimeStamping},
	})
	if err != nil {
		return fmt.Errorf("the certificate of %s does not lead to one of the roots: %w", s.Authority, err)
	}
	return nil
}

// nameOf returns the name in a certificate.
func nameOf(c *x509.Certificate) string {
	if c.Subject.CommonName != "" {
		return c.Subject.CommonName
	}
	return c.Subject.String()
}
