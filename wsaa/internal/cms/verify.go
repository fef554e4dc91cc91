package cms

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	_ "crypto/sha1" //nolint:gosec // clients sign with it, and the real service accepts it
	_ "crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// The longest and the shortest key that a signer may have, in bits. A longer one would cost too
// much time; the standard library refuses shorter ones.
const (
	minKey = 1024
	maxKey = 8192
)

// algorithms are the accepted digests by their OIDs, and with which signature algorithms they go.
// rsaEncryption goes with each.
var algorithms = []struct {
	digest, signature []byte
	hash              crypto.Hash
}{
	{oidSHA1, oidSHA1WithRSA, crypto.SHA1},
	{oidSHA256, oidSHA256WithRSA, crypto.SHA256},
}

var (
	oidSHA1          = []byte{0x2b, 0x0e, 0x03, 0x02, 0x1a}
	oidSHA256        = []byte{0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01}
	oidRSA           = []byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01}
	oidSHA1WithRSA   = []byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x05}
	oidSHA256WithRSA = []byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b}
)

// Verify reads a signed message and verifies its signature with the signer's certificate, which
// must be in it. The error wraps ErrFormat, ErrNoCertificate or ErrSignature. A message without
// its content is an ErrSignature: there is nothing that the signature could be of.
//
// Signed attributes are hashed as they came, in their own order. They must name the digest of the
// content. If they came in BER, their DER is tried too.
func Verify(data []byte) (*Signed, error) {
	m, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	certificate := m.signerCertificate()
	if certificate == nil {
		if m.unread != nil {
			return nil, fmt.Errorf("%w: one that is there cannot be read: %w", ErrNoCertificate, m.unread)
		}
		return nil, ErrNoCertificate
	}
	if err := m.verify(certificate); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSignature, err)
	}
	return &Signed{m.content, certificate, m.certificates}, nil
}

// signerCertificate returns the certificate that the signer names, nil if it is not there.
func (m *message) signerCertificate() *x509.Certificate {
	serial := new(big.Int).SetBytes(m.signer.serial)
	for _, c := range m.certificates {
		switch {
		case m.signer.keyID != nil:
			if bytes.Equal(c.SubjectKeyId, m.signer.keyID) {
				return c
			}
		case c.SerialNumber.Cmp(serial) == 0 && sameName(c.RawIssuer, m.signer.issuer):
			return c
		}
	}
	return nil
}

// sameName compares two names. Two with the same text are the same even if their strings are of other
// types: a program that builds the message from the text of the certificate may choose another.
func sameName(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var first, second pkix.RDNSequence
	_, errFirst := asn1.Unmarshal(a, &first)
	_, errSecond := asn1.Unmarshal(b, &second)
	return errFirst == nil && errSecond == nil && strings.EqualFold(first.String(), second.String())
}

func (m *message) verify(certificate *x509.Certificate) error {
	if m.detached {
		return errors.New("the message has no content")
	}
	key, err := publicKey(certificate)
	if err != nil {
		return err
	}
	hash, err := m.signer.hash()
	if err != nil {
		return err
	}
	if len(m.signer.forms) == 0 {
		return rsa.VerifyPKCS1v15(key, hash, digestOf(hash, m.content), m.signer.signature)
	}
	if err := m.checkAttributes(digestOf(hash, m.content)); err != nil {
		return err
	}
	for _, form := range m.signer.forms {
		if err = rsa.VerifyPKCS1v15(key, hash, digestOf(hash, form), m.signer.signature); err == nil {
			return nil
		}
	}
	return err
}

// publicKey returns the key of a certificate that can sign messages.
func publicKey(certificate *x509.Certificate) (*rsa.PublicKey, error) {
	key, ok := certificate.PublicKey.(*rsa.PublicKey)
	if !ok {
		return nil, fmt.Errorf("a key of type %s, not RSA", certificate.PublicKeyAlgorithm)
	}
	if bits := key.N.BitLen(); bits < minKey || bits > maxKey {
		return nil, fmt.Errorf("a key of %d bits: %d to %d are accepted", bits, minKey, maxKey)
	}
	return key, nil
}

// hash returns the digest of the signer's algorithms.
func (s *signer) hash() (crypto.Hash, error) {
	for _, a := range algorithms {
		if bytes.Equal(s.digest, a.digest) && (bytes.Equal(s.algorithm, oidRSA) || bytes.Equal(s.algorithm, a.signature)) {
			return a.hash, nil
		}
	}
	return 0, errors.New("an algorithm other than RSA with SHA-1 or SHA-256")
}

func digestOf(hash crypto.Hash, text []byte) []byte {
	h := hash.New()
	h.Write(text)
	return h.Sum(nil)
}

// checkAttributes checks that the signed attributes are about this content.
func (m *message) checkAttributes(digest []byte) error {
	signed, err := m.signer.attribute(oidMessageDigest)
	if err != nil {
		return fmt.Errorf("messageDigest: %w", err)
	}
	if !signed.is(tagOctetString) || subtle.ConstantTimeCompare(signed.content, digest) != 1 {
		return errors.New("messageDigest is not that of the content")
	}
	kind, err := m.signer.attribute(oidContentType)
	if err != nil {
		return fmt.Errorf("contentType: %w", err)
	}
	if kind.tag != tagOID || !bytes.Equal(kind.content, m.contentType) {
		return errors.New("contentType is not that of the content")
	}
	return nil
}
