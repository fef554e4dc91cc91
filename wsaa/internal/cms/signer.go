package cms

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// maxAttributes is how many signed attributes a message may have.
const maxAttributes = 64

// parseSigners reads the signers, of which there must be one.
func (m *message) parseSigners(r reader) error {
	info, err := r.expect(tagSequence, "the signer")
	if err != nil {
		return err
	}
	if !r.empty() {
		return errors.New("more than one signer")
	}
	return m.signer.parse(r.inside(info))
}

func (s *signer) parse(r reader) error {
	if _, err := r.expect(tagInteger, "the signer's version"); err != nil {
		return err
	}
	if err := s.parseName(&r); err != nil {
		return err
	}
	var err error
	if s.digest, err = parseAlgorithm(&r, "the digest algorithm"); err != nil {
		return err
	}
	if r.peek(context0) {
		attributes, err := r.expect(context0|constructed, "the signed attributes")
		if err != nil {
			return err
		}
		if err := s.parseAttributes(&r, attributes); err != nil {
			return err
		}
	}
	if s.algorithm, err = parseAlgorithm(&r, "the signature algorithm"); err != nil {
		return err
	}
	signature, err := r.expect(tagOctetString, "the signature")
	if err != nil {
		return err
	}
	s.signature, err = r.octets(signature)
	return err
}

// parseName reads which certificate is the signer's.
func (s *signer) parseName(r *reader) error {
	name, err := r.next()
	if err != nil {
		return fmt.Errorf("the name of the signer's certificate: %w", err)
	}
	if name.is(context0) {
		s.keyID, err = r.octets(name)
		return err
	}
	if name.tag != tagSequence {
		return fmt.Errorf("the name of the signer's certificate: tag 0x%02x", name.tag)
	}
	inner := r.inside(name)
	issuer, err := inner.expect(tagSequence, "the issuer of the signer's certificate")
	if err != nil {
		return err
	}
	if s.issuer, err = inner.der(issuer); err != nil {
		return err
	}
	serial, err := inner.expect(tagInteger, "the number of the signer's certificate")
	s.serial = serial.content
	return err
}

// parseAlgorithm returns the OID of an algorithm. Its parameters do not matter for those that are
// accepted.
func parseAlgorithm(r *reader, what string) ([]byte, error) {
	e, err := r.expect(tagSequence, what)
	if err != nil {
		return nil, err
	}
	inner := r.inside(e)
	oid, err := inner.expect(tagOID, what)
	return oid.content, err
}

// parseAttributes reads the signed attributes. The signature is over them as a SET, not as the
// [0] that they are in the message (RFC 5652, section 5.4).
func (s *signer) parseAttributes(r *reader, attributes element) error {
	for inner := r.inside(attributes); !inner.empty(); {
		if len(s.attributes) == maxAttributes {
			return fmt.Errorf("more than %d signed attributes", maxAttributes)
		}
		if err := s.parseAttribute(&inner); err != nil {
			return err
		}
	}
	encoded, err := r.der(attributes)
	if err != nil {
		return err
	}
	encoded[0] = tagSet
	s.forms = [][]byte{encoded}
	if attributes.indefinite {
		return nil
	}
	asItCame := slices.Clone(attributes.raw)
	asItCame[0] = tagSet
	if !bytes.Equal(asItCame, encoded) {
		s.forms = append(s.forms, asItCame)
	}
	return nil
}

func (s *signer) parseAttribute(r *reader) error {
	e, err := r.expect(tagSequence, "a signed attribute")
	if err != nil {
		return err
	}
	inner := r.inside(e)
	name, err := inner.expect(tagOID, "the name of a signed attribute")
	if err != nil {
		return err
	}
	set, err := inner.expect(tagSet, "the values of a signed attribute")
	if err != nil {
		return err
	}
	values := inner.inside(set)
	value, err := values.next()
	if err != nil {
		return fmt.Errorf("the value of a signed attribute: %w", err)
	}
	if !values.empty() && (bytes.Equal(name.content, oidMessageDigest) || bytes.Equal(name.content, oidContentType)) {
		return errors.New("a signed attribute has several values")
	}
	if value.is(tagOctetString) {
		if value.content, err = values.octets(value); err != nil {
			return err
		}
	}
	s.attributes = append(s.attributes, attribute{name.content, value})
	return nil
}

// attribute returns the value of the only attribute of a name.
func (s *signer) attribute(name []byte) (element, error) {
	var found []element
	for _, a := range s.attributes {
		if bytes.Equal(a.name, name) {
			found = append(found, a.value)
		}
	}
	if len(found) != 1 {
		return element{}, fmt.Errorf("%d signed attributes of a name that needs one", len(found))
	}
	return found[0], nil
}
