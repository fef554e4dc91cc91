package mask

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"sync"
)

// Redactor replaces credentials by fingerprints. A fingerprint lets two records be compared,
// and reveals nothing of the credential. It is safe for concurrent use.
type Redactor struct {
	macs sync.Pool // of hash.Hash, keyed: setting the key is half of the work
}

// NewRedactor returns a redactor with a secret key. Fingerprints made with
// different keys cannot be compared.
func NewRedactor(key []byte) *Redactor {
	key = bytes.Clone(key)
	return &Redactor{macs: sync.Pool{New: func() any { return hmac.New(sha256.New, key) }}}
}

// minEcho is the length in bytes from which a credential is looked for outside
// of its own member: shorter ones occur everywhere by chance, and no ticket of
// the service is that short.
const minEcho = 8

// maxName bounds the length in bytes of a name that is kept. None of the
// interface's is as long; a credential that a client puts where a name belongs is.
const maxName = 32

const fingerprintPrefix = "hmac-sha256:"

// Fingerprint returns "hmac-sha256:" and 32 hexadecimal digits.
func (r *Redactor) Fingerprint(secret []byte) string {
	sum := r.sum(secret)
	return fingerprintPrefix + hex.EncodeToString(sum[:16])
}

func (r *Redactor) sum(secret []byte) (sum [sha256.Size]byte) {
	mac := r.macs.Get().(hash.Hash)
	defer r.macs.Put(mac)
	mac.Reset()
	mac.Write(secret)
	mac.Sum(sum[:0])
	return sum
}

// Mark returns a keyed hash of texts: the same for the same texts in the same order.
func (r *Redactor) Mark(texts ...[]byte) [16]byte {
	mac := r.macs.Get().(hash.Hash)
	defer r.macs.Put(mac)
	mac.Reset()
	for _, text := range texts {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(text)))
		mac.Write(length[:])
		mac.Write(text)
	}
	var sum [sha256.Size]byte
	return [16]byte(mac.Sum(sum[:0]))
}

// Body is Mask.Body without any fields to hide, for a body that may be of any shape.
func (r *Redactor) Body(body []byte, echoes ...string) ([]byte, bool) {
	return r.Mask(nil).Body(body, false, echoes...)
}
