package keeper

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
)

// sealSecret is the shortest secret of a Seal, in bytes.
const sealSecret = 32

var (
	// ErrSeal: an entry was sealed with another key, changed, or moved from another name.
	ErrSeal = errors.New("the ticket in the store cannot be opened: it was sealed with another key, or is damaged")

	errSealSecret = fmt.Errorf("the key that seals tickets needs %d bytes of random", sealSecret)
)

// Seal encrypts the entries of a Store: AES-256-GCM, with a random nonce and the name of the entry as
// associated data. A ticket is sealed a few times a day, so that random nonces of 96 bits do. It
// prints without its key. It is safe for concurrent use.
type Seal struct{ aead cipher.AEAD }

// NewSeal returns the seal of a secret of 32 random bytes or more, such as the encryption key of a
// trail. The secret may have other uses: what seals is derived from it for this one.
func NewSeal(secret []byte) (*Seal, error) {
	if len(secret) < sealSecret {
		return nil, errSealSecret
	}
	key, err := hkdf.Key(sha256.New, secret, nil, "fielato ticket sealing 1", 32)
	if err != nil {
		return nil, fmt.Errorf("deriving the key that seals tickets: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("making a cipher: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("making a cipher: %w", err)
	}
	return &Seal{aead}, nil
}

// Format writes what it is, never the key.
func (s *Seal) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("seal of tickets")) }

// seal returns an entry as the store gets it. Without a Seal it stays as it is.
func (s *Seal) seal(name string, entry []byte) []byte {
	if s == nil {
		return entry
	}
	return s.aead.Seal(nil, nil, entry, []byte(name))
}

// open returns what seal was given. The error is ErrSeal.
func (s *Seal) open(name string, sealed []byte) ([]byte, error) {
	if s == nil {
		return sealed, nil
	}
	entry, err := s.aead.Open(nil, nil, sealed, []byte(name))
	if err != nil {
		return nil, ErrSeal
	}
	return entry, nil
}
