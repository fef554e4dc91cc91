package wsaa

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha1" //nolint:gosec // the authority decides with what it signs
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/fielato/fielato/wsfev1"
)

// ErrSign: a Sign is not the authority's signature of a Token, code 600.
var ErrSign = errors.New("the sign is no signature of the token")

const (
	// minAuthorityKey is the shortest key that an authority may have, in bits: the
	// Signs that were seen are of that length, and the standard library refuses less.
	minAuthorityKey = 1024
	// maxSignText is the longest Sign that is read, in bytes of base64: it holds the
	// signature of a key of 16,384 bits.
	maxSignText = 4 << 10
)

// VerifySign checks that the authority's certificate signed the Token: RSA PKCS #1
// v1.5 with SHA-1 or SHA-256. The error wraps ErrSign if the two do not belong
// together. Any other error is about the certificate, and the Token is not judged. No
// error holds a part of Token or Sign.
//
// No public document says which bytes are signed. The decoded document is likely, because the
// export service WSFEXv1 reports a Token that is no base64 as a failed verification. The
// base64 text is accepted as well, without white space. SHA-1 is too weak for documents
// that others compose; here the authority signs only its own.
//
// The certificate's own validity and issuer are not checked: its configuration is the
// trust in it. A renewed one does not verify the tickets of the one before, which live
// twelve hours.
func VerifySign(authority *x509.Certificate, token, sign wsfev1.Secret) error {
	key, err := authorityKey(authority)
	if err != nil {
		return err
	}
	text, document, err := decodeToken(token)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSign, err)
	}
	signature, err := decodeSign(sign)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSign, err)
	}
	for _, signed := range [][]byte{document, []byte(text)} {
		weak, strong := sha1.Sum(signed), sha256.Sum256(signed) //nolint:gosec // see the import
		if rsa.VerifyPKCS1v15(key, crypto.SHA1, weak[:], signature) == nil ||
			rsa.VerifyPKCS1v15(key, crypto.SHA256, strong[:], signature) == nil {
			return nil
		}
	}
	return ErrSign
}

// authorityKey returns the key of a certificate that can sign tickets.
func authorityKey(authority *x509.Certificate) (*rsa.PublicKey, error) {
	if authority == nil {
		return nil, errors.New("the authority has no certificate")
	}
	key, ok := authority.PublicKey.(*rsa.PublicKey)
	if !ok {
		return nil, fmt.Errorf("the authority's certificate has a key of type %s, not RSA", authority.PublicKeyAlgorithm)
	}
	if bits := key.N.BitLen(); bits < minAuthorityKey {
		return nil, fmt.Errorf("the authority's certificate has a key of %d bits, fewer than %d", bits, minAuthorityKey)
	}
	return key, nil
}

func decodeSign(sign wsfev1.Secret) ([]byte, error) {
	text := sign.Reveal()
	if len(text) > maxSignText {
		return nil, fmt.Errorf("the sign has %d bytes, more than %d", len(text), maxSignText)
	}
	text = strings.Join(strings.Fields(text), "")
	signature, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
	if err != nil {
		return nil, fmt.Errorf("decode the sign: %w", err)
	}
	return signature, nil
}
