package cms

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"io"

	"github.com/smallstep/pkcs7"
)

// ErrKey: a key signs no messages that the login service accepts.
var ErrKey = errors.New("the key does not sign as the login service wants it: RSA of 1024 to 8192 bits")

// Sign returns a signed message in DER: SignedData with the content and the certificate of its one
// signer, RSA and SHA-256. The key may lie in a device: it need not be more than a crypto.Signer. A
// crypto.MessageSigner is given the message, for a device that computes the digest itself.
// The error holds no part of the key.
//
// The attribute signingTime is the machine's time. The login service does not look at it.
func Sign(content []byte, certificate *x509.Certificate, key crypto.Signer) ([]byte, error) {
	if public, err := publicKey(certificate); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKey, err)
	} else if !public.Equal(key.Public()) {
		return nil, fmt.Errorf("%w: it is not the key of the certificate", ErrKey)
	}
	message, err := pkcs7.NewSignedData(content)
	if err != nil {
		return nil, fmt.Errorf("making a CMS: %w", err)
	}
	message.SetDigestAlgorithm(pkcs7.OIDDigestAlgorithmSHA256) // the library's own default is SHA-1
	if err := addSigner(message, certificate, key); err != nil {
		return nil, fmt.Errorf("signing a CMS: %w", err)
	}
	der, err := message.Finish()
	if err != nil {
		return nil, fmt.Errorf("encoding a CMS: %w", err)
	}
	return der, nil
}

// addSigner signs a message. The library gives keys the digest of what is signed alone. For a key that wants all of
// it, the attributes that were digested are taken from the library's result, and the signature put there.
func addSigner(message *pkcs7.SignedData, certificate *x509.Certificate, key crypto.Signer) error {
	whole, ok := key.(crypto.MessageSigner)
	if !ok {
		return message.AddSigner(certificate, key, pkcs7.SignerInfoConfig{})
	}
	asked := &digestOnly{public: key.Public()}
	if err := message.AddSigner(certificate, asked, pkcs7.SignerInfoConfig{}); err != nil {
		return err
	}
	signer := &message.GetSignedData().SignerInfos[0]
	text, err := setOf(signer.AuthenticatedAttributes)
	if err != nil {
		return err
	}
	if digest := sha256.Sum256(text); !bytes.Equal(digest[:], asked.digest) {
		return errors.New("the attributes are not those whose digest is signed")
	}
	signer.EncryptedDigest, err = whole.SignMessage(rand.Reader, text, crypto.SHA256)
	return err
}

// setOf encodes attributes as they are signed: as a SET OF.
func setOf[T any](attributes []T) ([]byte, error) {
	encoded, err := asn1.Marshal(struct {
		A []T `asn1:"set"`
	}{attributes})
	if err != nil {
		return nil, err
	}
	var outer asn1.RawValue
	_, err = asn1.Unmarshal(encoded, &outer)
	return outer.Bytes, err
}

// digestOnly remembers the digest that it is to sign, and signs nothing.
type digestOnly struct {
	public crypto.PublicKey
	digest []byte
}

// Public implements crypto.Signer.
func (d *digestOnly) Public() crypto.PublicKey { return d.public }

// Sign implements crypto.Signer.
func (d *digestOnly) Sign(_ io.Reader, digest []byte, _ crypto.SignerOpts) ([]byte, error) {
	d.digest = bytes.Clone(digest)
	return []byte{}, nil
}
