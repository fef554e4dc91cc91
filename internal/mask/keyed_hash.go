package mask

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
)

// keyedHash is a hash with its key, and the memory that it takes to use it: texts that are written to an interface
// escape, and would be allocated each time. Redactor.macs has those that nobody uses.
type keyedHash struct {
	mac    hash.Hash
	digest [sha256.Size]byte
	length [8]byte
	// buffer has the text that is written next. It has no text of an exchange while nobody uses the hash.
	buffer []byte
}

const (
	// maxKeyedBuffer is how large a buffer stays for the next use, in bytes: a lot of some hundred invoices fits.
	maxKeyedBuffer = 128 << 10
	// keyedPart is how much of a text is written at a time, in bytes.
	keyedPart = 16 << 10
)

func (h *keyedHash) sum() [sha256.Size]byte {
	h.mac.Sum(h.digest[:0])
	return h.digest
}

func (h *keyedHash) writeLength(n int) {
	binary.BigEndian.PutUint64(h.length[:], uint64(n))
	h.mac.Write(h.length[:])
}

// writeText writes the length of a text and the text, by parts, so that none needs more room than a part.
func (h *keyedHash) writeText(text string) {
	h.writeLength(len(text))
	for len(text) > 0 {
		n := min(len(text), keyedPart)
		h.buffer = append(h.buffer[:0], text[:n]...)
		h.mac.Write(h.buffer)
		h.forget(n)
		text = text[n:]
	}
}

// forget overwrites what was written: it may be a credential, and the buffer outlives the exchange.
func (h *keyedHash) forget(n int) {
	clear(h.buffer[:n])
	if cap(h.buffer) > maxKeyedBuffer {
		h.buffer = nil
	}
}
