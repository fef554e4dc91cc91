package mask

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sync"
)

// Redactor replaces credentials by fingerprints. A fingerprint lets two records be compared,
// and reveals nothing of the credential. It is safe for concurrent use.
type Redactor struct {
	macs sync.Pool // of *keyedHash: setting the key is half of the work
}

// NewRedactor returns a redactor with a secret key. Fingerprints made with
// different keys cannot be compared.
func NewRedactor(key []byte) *Redactor {
	key = bytes.Clone(key)
	return &Redactor{macs: sync.Pool{New: func() any { return &keyedHash{mac: hmac.New(sha256.New, key)} }}}
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
func (r *Redactor) Fingerprint(secret []byte) string { return string(r.appendFingerprint(nil, secret)) }

func (r *Redactor) appendFingerprint(b, secret []byte) []byte {
	sum := r.sum(secret)
	return hex.AppendEncode(append(b, fingerprintPrefix...), sum[:16])
}

func (r *Redactor) sum(secret []byte) [sha256.Size]byte {
	h := r.macs.Get().(*keyedHash)
	defer r.macs.Put(h)
	h.mac.Reset()
	h.mac.Write(secret)
	return h.sum()
}

// sumOf is sum of an array. Its own parameter escapes, and not the caller's: only a mask with fields needs it.
func (r *Redactor) sumOf(digest [sha256.Size]byte) [sha256.Size]byte { return r.sum(digest[:]) }

// Mark returns a keyed hash of texts: the same for the same texts in the same order.
func (r *Redactor) Mark(texts ...string) [16]byte {
	h := r.macs.Get().(*keyedHash)
	defer r.macs.Put(h)
	h.mac.Reset()
	for _, text := range texts {
		h.writeText(text)
	}
	sum := h.sum()
	return [16]byte(sum[:])
}

// MarkOf is Mark of a name and of a text of about so many bytes, which write appends to the buffer that it gets.
func (r *Redactor) MarkOf(name string, size int, write func([]byte) []byte) [16]byte {
	h := r.macs.Get().(*keyedHash)
	defer r.macs.Put(h)
	h.mac.Reset()
	h.writeText(name)
	h.buffer = write(slices.Grow(h.buffer[:0], size))
	h.writeLength(len(h.buffer))
	h.mac.Write(h.buffer)
	h.forget(len(h.buffer))
	sum := h.sum()
	return [16]byte(sum[:])
}

// Body is Mask.Body without any fields to hide, for a body that may be of any shape.
func (r *Redactor) Body(body []byte, echoes ...string) ([]byte, bool) {
	return r.Mask(nil).Body(body, false, echoes...)
}
