package cms

import (
	"crypto"
	"crypto/x509"
	"errors"
	"fmt"

	"github.com/smallstep/pkcs7"
)

// ErrKey: a key signs no messages that the login service accepts.
var ErrKey = errors.New("the key does not sign as the login service wants it: RSA of 1024 to 8192 bits")

// Sign returns a signed message in DER: SignedData with the content and the certificate of its one
// signer, RSA and SHA-256. The key may lie in a device: it need not be more than a crypto.Signer.
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
	if err := message.AddSigner(certificate, key, pkcs7.SignerInfoConfig{}); err != nil {
		return nil, fmt.Errorf("signing a CMS: %w", err)
	}
	der, err := message.Finish()
	if err != nil {
		return nil, fmt.Errorf("encoding a CMS: %w", err)
	}
	return der, nil
}
