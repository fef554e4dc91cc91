package timestamp

import (
	"bytes"
	"crypto"
	"crypto/sha1" //nolint:gosec // ESSCertID is defined by it
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"golang.org/x/crypto/cryptobyte"
	tag "golang.org/x/crypto/cryptobyte/asn1"
)

// signerInfo is the signature of a token.
type signerInfo struct {
	// issuer and serial name the signer's certificate, or keyID does.
	issuer []byte
	serial *big.Int
	keyID  []byte

	digest crypto.Hash
	// signed are the signed attributes as they came, as the SET over which the signature is. attributes has their
	// values, one each, by type.
	signed     []byte
	attributes map[string]cryptobyte.String
	algorithm  x509.SignatureAlgorithm
	signature  []byte
}

var (
	oidSHA256 = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 1}
	oidRSA    = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 1}

	oidContentType   = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 3}
	oidMessageDigest = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 4}
)

// digests are the hashes that count, by the text of their OID.
var digests = map[string]crypto.Hash{
	oidSHA256.String():       crypto.SHA256,
	"2.16.840.1.101.3.4.2.2": crypto.SHA384,
	"2.16.840.1.101.3.4.2.3": crypto.SHA512,
}

// algorithm is a way to sign with one of the digests.
type algorithm struct {
	digest crypto.Hash
	of     x509.SignatureAlgorithm
}

// algorithms are the ways to sign that count, by the text of their OID.
var algorithms = map[string]algorithm{
	"1.2.840.113549.1.1.11": {crypto.SHA256, x509.SHA256WithRSA},
	"1.2.840.113549.1.1.12": {crypto.SHA384, x509.SHA384WithRSA},
	"1.2.840.113549.1.1.13": {crypto.SHA512, x509.SHA512WithRSA},
	"1.2.840.10045.4.3.2":   {crypto.SHA256, x509.ECDSAWithSHA256},
	"1.2.840.10045.4.3.3":   {crypto.SHA384, x509.ECDSAWithSHA384},
	"1.2.840.10045.4.3.4":   {crypto.SHA512, x509.ECDSAWithSHA512},
}

// withRSA are the ways to sign of keys that say no more than that they are RSA.
var withRSA = map[crypto.Hash]x509.SignatureAlgorithm{
	crypto.SHA256: x509.SHA256WithRSA, crypto.SHA384: x509.SHA384WithRSA, crypto.SHA512: x509.SHA512WithRSA,
}

// errSigner: the SignerInfo is malformed.
var errSigner = errors.New("the signature in the token (SignerInfo) is malformed")

// parseSigner reads a SignerInfo.
func parseSigner(signers *cryptobyte.String) (*signerInfo, error) {
	s := &signerInfo{}
	var info, signed cryptobyte.String
	version := 0
	if !signers.ReadASN1(&info, tag.SEQUENCE) || !info.ReadASN1Integer(&version) || !s.readName(version, &info) {
		return nil, errSigner
	}
	digest, ok := readAlgorithm(&info)
	if !ok {
		return nil, errSigner
	}
	if s.digest = digests[digest.String()]; s.digest == 0 {
		return nil, fmt.Errorf("the digest %s of the signature does not count: use SHA-256, SHA-384 or SHA-512", digest)
	}
	if !info.PeekASN1Tag(constructed(0)) {
		return nil, errors.New("the signature has no signed attributes")
	}
	if !info.ReadASN1Element(&signed, constructed(0)) || !s.readAttributes(signed) {
		return nil, errSigner
	}
	how, ok := readAlgorithm(&info)
	if !ok {
		return nil, errSigner
	}
	if !s.choose(how) {
		return nil, fmt.Errorf("the signature is by %s with the digest %s, which does not count: use RSA (PKCS #1 v1.5) or ECDSA with one digest for all", how, digest)
	}
	if !info.ReadASN1Bytes(&s.signature, tag.OCTET_STRING) || !info.SkipOptionalASN1(constructed(1)) || !info.Empty() {
		return nil, errSigner
	}
	return s, nil
}

// readName reads how the signer's certificate is named, which the version tells.
func (s *signerInfo) readName(version int, info *cryptobyte.String) bool {
	switch version {
	case 1:
		var name, issuer cryptobyte.String
		s.serial = new(big.Int)
		if !info.ReadASN1(&name, tag.SEQUENCE) || !name.ReadASN1Element(&issuer, tag.SEQUENCE) || !name.ReadASN1Integer(s.serial) {
			return false
		}
		s.issuer = issuer
		return name.Empty()
	case 3:
		return info.ReadASN1Bytes(&s.keyID, tag.Tag(0).ContextSpecific()) && len(s.keyID) > 0
	}
	return false
}

// readAttributes reads the signed attributes. None may be there twice, and each must have one value.
func (s *signerInfo) readAttributes(element cryptobyte.String) bool {
	s.signed = slices.Clone(element)
	s.signed[0] = byte(tag.SET)
	var set cryptobyte.String
	if !element.ReadASN1(&set, constructed(0)) {
		return false
	}
	s.attributes = map[string]cryptobyte.String{}
	for !set.Empty() {
		var attribute, values, value cryptobyte.String
		var kind asn1.ObjectIdentifier
		var any tag.Tag
		if !set.ReadASN1(&attribute, tag.SEQUENCE) || !attribute.ReadASN1ObjectIdentifier(&kind) || !attribute.ReadASN1(&values, tag.SET) || !attribute.Empty() ||
			!values.ReadAnyASN1Element(&value, &any) || !values.Empty() {
			return false
		}
		if _, twice := s.attributes[kind.String()]; twice {
			return false
		}
		s.attributes[kind.String()] = value
	}
	return true
}

// choose takes the way to sign, if it counts and is with the same digest.
func (s *signerInfo) choose(how asn1.ObjectIdentifier) bool {
	chosen := algorithms[how.String()]
	if how.Equal(oidRSA) { // the digest is the other field's
		chosen = algorithm{s.digest, withRSA[s.digest]}
	}
	s.algorithm = chosen.of
	return chosen.digest == s.digest
}

// readAlgorithm reads an AlgorithmIdentifier that has no parameters, or NULL.
func readAlgorithm(input *cryptobyte.String) (id asn1.ObjectIdentifier, ok bool) {
	var identifier, null cryptobyte.String
	var there bool
	ok = input.ReadASN1(&identifier, tag.SEQUENCE) && identifier.ReadASN1ObjectIdentifier(&id) &&
		identifier.ReadOptionalASN1(&null, &there, tag.NULL) && null.Empty() && identifier.Empty()
	return id, ok
}

// verify checks the signature and all that is signed with it, and returns the signer's certificate.
func (d *signedData) verify() (*x509.Certificate, error) {
	s := d.signer
	at := slices.IndexFunc(d.certificates, s.names)
	if at < 0 {
		return nil, errors.New("the signer's certificate is not in the token")
	}
	certificate := d.certificates[at]
	if err := s.checkContent(d.content); err != nil {
		return nil, err
	}
	if err := s.checkNamed(certificate); err != nil {
		return nil, err
	}
	if err := certificate.CheckSignature(s.algorithm, s.signed, s.signature); err != nil {
		return nil, fmt.Errorf("the signature does not verify: %w", err)
	}
	return certificate, checkPurpose(certificate)
}

// names reports whether the signature names a certificate.
func (s *signerInfo) names(c *x509.Certificate) bool {
	if s.keyID != nil {
		return bytes.Equal(s.keyID, c.SubjectKeyId)
	}
	return bytes.Equal(s.issuer, c.RawIssuer) && s.serial.Cmp(c.SerialNumber) == 0
}

// checkContent compares the signed attributes with the content.
func (s *signerInfo) checkContent(content []byte) error {
	kind, digest := s.attributes[oidContentType.String()], s.attributes[oidMessageDigest.String()]
	var said asn1.ObjectIdentifier
	if !kind.ReadASN1ObjectIdentifier(&said) || !kind.Empty() || !said.Equal(oidTSTInfo) {
		return errors.New("the signed attributes do not say that the content is a time-stamp")
	}
	var sum cryptobyte.String
	hash := s.digest.New()
	hash.Write(content)
	if !digest.ReadASN1(&sum, tag.OCTET_STRING) || !digest.Empty() || !bytes.Equal(sum, hash.Sum(nil)) {
		return errors.New("the digest among the signed attributes is not of the content")
	}
	return nil
}

// sha1Of is the digest of ESSCertID.
func sha1Of(der []byte) []byte {
	sum := sha1.Sum(der) //nolint:gosec // as the RFC has it
	return sum[:]
}
