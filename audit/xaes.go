package audit

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
)

const (
	keyBytes = 32
	// nonceBytes is the length of a nonce of XAES-256-GCM.
	nonceBytes = 24
	// contextBytes is the part of the nonce that the key of a message comes from.
	contextBytes = 12
)

// errSealed names no cause: the cipher does not know it.
var errSealed = errors.New("it was changed, moved, or sealed with another key")

// xaes is XAES-256-GCM (C2SP): AES-256-GCM, with a key for each message that is derived
// from the first half of a random nonce of 192 bits. A random nonce of AES-GCM's own
// 96 bits is good for 2³² messages under a key (NIST SP 800-38D, section 8.3), and a
// gateway that commits 4,600 times a second passes that within a fiscal period; here
// the same chance of a collision comes after 2⁸⁰. It is safe for concurrent use.
type xaes struct {
	block cipher.Block
	// mask is the subkey K1 of AES-CMAC.
	mask [aes.BlockSize]byte
}

func newXAES(key []byte) (*xaes, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("making a cipher: %w", err)
	}
	x := &xaes{block: block}
	block.Encrypt(x.mask[:], x.mask[:])
	carry := x.mask[0] >> 7
	for i := range x.mask {
		x.mask[i] <<= 1
		if i+1 < len(x.mask) {
			x.mask[i] |= x.mask[i+1] >> 7
		}
	}
	x.mask[len(x.mask)-1] ^= carry * 0x87
	return x, nil
}

// gcm returns the cipher of the one message with this nonce.
func (x *xaes) gcm(nonce []byte) (cipher.AEAD, error) {
	var key [keyBytes]byte
	for i := range 2 {
		half := key[i*aes.BlockSize:][:aes.BlockSize]
		half[1], half[2] = byte(i+1), 'X'
		copy(half[4:], nonce[:contextBytes])
		subtle.XORBytes(half, half, x.mask[:])
		x.block.Encrypt(half, half)
	}
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, fmt.Errorf("making a cipher: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("making a cipher: %w", err)
	}
	return aead, nil
}

// seal appends a random nonce and the sealed message to dst.
func (x *xaes) seal(dst, message, bound []byte) ([]byte, error) {
	var nonce [nonceBytes]byte
	_, _ = rand.Read(nonce[:]) // never fails
	aead, err := x.gcm(nonce[:])
	if err != nil {
		return nil, err
	}
	return aead.Seal(append(dst, nonce[:]...), nonce[contextBytes:], message, bound), nil
}

// open returns the message.
func (x *xaes) open(sealed, bound []byte) ([]byte, error) {
	if len(sealed) < nonceBytes {
		return nil, errSealed
	}
	nonce := sealed[:nonceBytes]
	aead, err := x.gcm(nonce)
	if err != nil {
		return nil, err
	}
	message, err := aead.Open(nil, nonce[contextBytes:], sealed[nonceBytes:], bound)
	if err != nil {
		return nil, errSealed
	}
	return message, nil
}
