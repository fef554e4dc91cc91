package cms

import (
	"bytes"
	"crypto/x509"
	"errors"
	"fmt"
)

// Errors of Verify. Each wraps what exactly is wrong, and holds no part of the message.
var (
	// ErrFormat: the data is not a signed message.
	ErrFormat = errors.New("the data is no CMS SignedData")
	// ErrNoCertificate: the signer's certificate is not in the message.
	ErrNoCertificate = errors.New("the certificate of the signer is not in the CMS")
	// ErrSignature: the signature is not the signer's, or of an algorithm that is not accepted.
	ErrSignature = errors.New("the signature of the CMS is not valid")
)

const (
	// maxMessage is the largest message that is read, in bytes.
	maxMessage = 1 << 20
	// maxCertificates is how many certificates a message may have.
	maxCertificates = 32
)

// Signed is a message whose signature was verified.
type Signed struct {
	// Content is what was signed.
	Content []byte
	// Signer is the certificate of the signer, and Certificates are all of the message.
	Signer       *x509.Certificate
	Certificates []*x509.Certificate
}

// message is a SignedData that was read.
type message struct {
	contentType  []byte // an OID
	content      []byte
	detached     bool
	certificates []*x509.Certificate
	// unread is why a certificate could not be read, nil if all could.
	unread error
	signer signer
}

// signer is a SignerInfo.
type signer struct {
	// issuer and serial name the certificate, unless keyID does.
	issuer, serial, keyID []byte
	digest, algorithm     []byte // OIDs
	signature             []byte
	// attributes are the signed ones, each as it came. forms are the encodings of them all over
	// which the signature may be; there is none without attributes.
	attributes []attribute
	forms      [][]byte
}

// attribute is a signed attribute that has one value.
type attribute struct {
	name  []byte // an OID
	value element
}

// OIDs as their content is encoded.
var (
	oidSignedData    = []byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02}
	oidContentType   = []byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x03}
	oidMessageDigest = []byte{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x04}
)

// parse reads a ContentInfo that holds a SignedData with one signer.
func parse(data []byte) (*message, error) {
	if len(data) > maxMessage {
		return nil, fmt.Errorf("%d bytes, more than %d", len(data), maxMessage)
	}
	r := newReader(data)
	outer, err := r.expect(tagSequence, "ContentInfo")
	if err != nil {
		return nil, err
	}
	if !r.empty() {
		return nil, fmt.Errorf("%d bytes follow the message", len(r.rest))
	}
	info := r.inside(outer)
	kind, err := info.expect(tagOID, "the content type")
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(kind.content, oidSignedData) {
		return nil, errors.New("the content type is not signedData")
	}
	wrapped, err := info.expect(context0|constructed, "the content")
	if err != nil {
		return nil, err
	}
	inner := info.inside(wrapped)
	signedData, err := inner.expect(tagSequence, "SignedData")
	if err != nil {
		return nil, err
	}
	return parseSignedData(inner.inside(signedData))
}

func parseSignedData(r reader) (*message, error) {
	m := new(message)
	if _, err := r.expect(tagInteger, "the version"); err != nil {
		return nil, err
	}
	if _, err := r.expect(tagSet, "the digest algorithms"); err != nil {
		return nil, err
	}
	encapsulated, err := r.expect(tagSequence, "the encapsulated content")
	if err != nil {
		return nil, err
	}
	if err := m.parseContent(r.inside(encapsulated)); err != nil {
		return nil, err
	}
	if r.peek(context0) {
		certificates, err := r.next()
		if err != nil {
			return nil, err
		}
		if err := m.parseCertificates(r.inside(certificates)); err != nil {
			return nil, err
		}
	}
	if r.peek(context1) { // revocation lists
		if _, err := r.next(); err != nil {
			return nil, err
		}
	}
	signers, err := r.expect(tagSet, "the signers")
	if err != nil {
		return nil, err
	}
	return m, m.parseSigners(r.inside(signers))
}

func (m *message) parseContent(r reader) error {
	kind, err := r.expect(tagOID, "the encapsulated content type")
	if err != nil {
		return err
	}
	m.contentType = kind.content
	if r.empty() {
		m.detached = true
		return nil
	}
	wrapped, err := r.expect(context0|constructed, "the encapsulated content")
	if err != nil {
		return err
	}
	inner := r.inside(wrapped)
	content, err := inner.expect(tagOctetString, "the encapsulated content")
	if err != nil {
		return err
	}
	m.content, err = inner.octets(content)
	return err
}

// parseCertificates reads the certificates. It leaves out any that is not X.509 or cannot be
// read: the signer's may be another.
func (m *message) parseCertificates(r reader) error {
	for n := 0; !r.empty(); n++ {
		e, err := r.next()
		if err != nil {
			return fmt.Errorf("a certificate: %w", err)
		}
		if n == maxCertificates {
			return fmt.Errorf("more than %d certificates", maxCertificates)
		}
		if e.tag != tagSequence {
			continue
		}
		text := e.raw
		if e.indefinite {
			if text, err = r.der(e); err != nil {
				return fmt.Errorf("a certificate: %w", err)
			}
		}
		certificate, err := x509.ParseCertificate(text)
		if err != nil {
			m.unread = err
			continue
		}
		m.certificates = append(m.certificates, certificate)
	}
	return nil
}
