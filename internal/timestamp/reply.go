package timestamp

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/cryptobyte"
	tag "golang.org/x/crypto/cryptobyte/asn1"
)

// MaxReply is the most bytes of a reply.
const MaxReply = 64 << 10

// maxKey is the most bits of an RSA key: larger ones take long to verify with.
const maxKey = 8192

// maxText is the most bytes of an authority's text that are repeated.
const maxText = 200

// RefusalError is an answer without a stamp.
type RefusalError struct {
	// Status is the PKIStatus, 2 for a rejection.
	Status int
	// Text is the reason in the words of the authority, and Failures the reason in the words of the RFC.
	Text     string
	Failures []string
}

// Error implements error.
func (e *RefusalError) Error() string {
	text := fmt.Sprintf("the authority does not stamp: status %d", e.Status)
	if len(e.Failures) > 0 {
		text += " (" + strings.Join(e.Failures, ", ") + ")"
	}
	if e.Text != "" {
		text += fmt.Sprintf(": %q", e.Text)
	}
	return text
}

// failures are the bits of PKIFailureInfo that RFC 3161 has.
var failures = map[int]string{
	0: "badAlg", 2: "badRequest", 5: "badDataFormat", 14: "timeNotAvailable", 15: "unacceptedPolicy",
	16: "unacceptedExtension", 17: "addInfoNotAvailable", 25: "systemFailure",
}

// errReply: it is no TimeStampResp.
var errReply = errors.New("this is no answer to a query for a time-stamp, or bytes follow it")

// parseReply reads a reply and the token in it. It returns a *RefusalError if there is no token for a reason.
func parseReply(der []byte) (*signedData, error) {
	if len(der) > MaxReply {
		return nil, fmt.Errorf("the answer has more than %d bytes", MaxReply)
	}
	input := cryptobyte.String(der)
	var reply, status cryptobyte.String
	if !input.ReadASN1(&reply, tag.SEQUENCE) || !input.Empty() || !reply.ReadASN1(&status, tag.SEQUENCE) {
		return nil, errReply
	}
	if err := checkStatus(status); err != nil {
		return nil, err
	}
	return parseToken(reply)
}

// checkStatus reads a PKIStatusInfo. Granted is 0, or 1 with changes, which the other checks find.
func checkStatus(info cryptobyte.String) error {
	refusal := &RefusalError{}
	var texts, bits cryptobyte.String
	var said, coded bool
	if !info.ReadASN1Integer(&refusal.Status) || !info.ReadOptionalASN1(&texts, &said, tag.SEQUENCE) ||
		!info.ReadOptionalASN1(&bits, &coded, tag.BIT_STRING) || !info.Empty() {
		return errReply
	}
	for !texts.Empty() {
		var text cryptobyte.String
		if !texts.ReadASN1(&text, tag.UTF8String) {
			return errReply
		}
		refusal.Text = strings.TrimSpace(refusal.Text + " " + string(text))
	}
	refusal.Text = strings.ToValidUTF8(refusal.Text[:min(len(refusal.Text), maxText)], "")
	if coded {
		if len(bits) == 0 {
			return errReply
		}
		set := asn1.BitString{Bytes: bits[1:], BitLength: 8 * len(bits[1:])}
		for bit := range set.BitLength {
			if set.At(bit) == 1 && failures[bit] != "" {
				refusal.Failures = append(refusal.Failures, failures[bit])
			}
		}
	}
	if refusal.Status == 0 || refusal.Status == 1 {
		return nil
	}
	return refusal
}

// signedData is the token of a reply: CMS SignedData with one signer.
type signedData struct {
	content      []byte
	certificates []*x509.Certificate
	signer       *signerInfo
}

var (
	oidSignedData = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 2}
	oidTSTInfo    = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 16, 1, 4}
)

// errToken: it is no time-stamp token.
var errToken = errors.New("the token in the answer is malformed, or something is missing in it or follows it")

// constructed returns the tag [n] of a field with others in it.
func constructed(n uint8) tag.Tag { return tag.Tag(n).ContextSpecific().Constructed() }

// parseToken reads a ContentInfo, and nothing behind it.
func parseToken(input cryptobyte.String) (*signedData, error) {
	var info, wrapped, signed, content, inner, signers cryptobyte.String
	var kind, contentKind asn1.ObjectIdentifier
	version, token := 0, &signedData{}
	if !input.ReadASN1(&info, tag.SEQUENCE) || !input.Empty() || !info.ReadASN1ObjectIdentifier(&kind) || !kind.Equal(oidSignedData) ||
		!info.ReadASN1(&wrapped, constructed(0)) || !info.Empty() || !wrapped.ReadASN1(&signed, tag.SEQUENCE) || !wrapped.Empty() {
		return nil, errToken
	}
	if !signed.ReadASN1Integer(&version) || version != 3 || !signed.SkipASN1(tag.SET) || !signed.ReadASN1(&content, tag.SEQUENCE) ||
		!content.ReadASN1ObjectIdentifier(&contentKind) || !content.ReadASN1(&inner, constructed(0)) || !content.Empty() ||
		!inner.ReadASN1Bytes(&token.content, tag.OCTET_STRING) || !inner.Empty() {
		return nil, errToken
	}
	if !contentKind.Equal(oidTSTInfo) {
		return nil, fmt.Errorf("the content that is signed is of the type %s, not a time-stamp", contentKind)
	}
	var err error
	if token.certificates, err = readCertificates(&signed); err != nil {
		return nil, err
	}
	if !signed.SkipOptionalASN1(constructed(1)) || !signed.ReadASN1(&signers, tag.SET) || !signed.Empty() {
		return nil, errToken
	}
	if token.signer, err = parseSigner(&signers); err != nil {
		return nil, err
	}
	if !signers.Empty() {
		return nil, errors.New("the token has more than one signature: a time-stamp has one")
	}
	return token, nil
}

// readCertificates reads the certificates of a token. Those of attributes, which are of no use here, are left out.
func readCertificates(signed *cryptobyte.String) (all []*x509.Certificate, err error) {
	var set cryptobyte.String
	var there bool
	if !signed.ReadOptionalASN1(&set, &there, constructed(0)) {
		return nil, errToken
	}
	for !set.Empty() {
		var one cryptobyte.String
		var kind tag.Tag
		if !set.ReadAnyASN1Element(&one, &kind) {
			return nil, errToken
		}
		if kind != tag.SEQUENCE {
			continue
		}
		certificate, err := x509.ParseCertificate(one)
		if err != nil {
			return nil, fmt.Errorf("reading a certificate in the token: %w", err)
		}
		if key, ok := certificate.PublicKey.(*rsa.PublicKey); ok && key.N.BitLen() > maxKey {
			return nil, fmt.Errorf("a certificate in the token has a key of %d bits: %d is the most", key.N.BitLen(), maxKey)
		}
		all = append(all, certificate)
	}
	return all, nil
}
