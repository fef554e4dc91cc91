package term

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
)

// keyedBits is how many bits tell the terms of a key apart.
const keyedBits = 20

// Key makes terms that nobody can make without it.
type Key []byte

// Append appends the terms of some numbers.
func (k Key) Append(terms []Term, about uint64, numbers []int64) []Term {
	if len(numbers) == 0 {
		return terms
	}
	h := hmac.New(sha256.New, k)
	for _, number := range numbers {
		terms = append(terms, keyed(h, about, number))
	}
	return terms
}

// Of returns the term of a number.
func (k Key) Of(about uint64, number int64) Term {
	return keyed(hmac.New(sha256.New, k), about, number)
}

func keyed(h hash.Hash, about uint64, number int64) Term {
	var sum [sha256.Size]byte
	h.Reset()
	h.Write(binary.BigEndian.AppendUint64(sum[:0], uint64(number)))
	return Of(about, binary.BigEndian.Uint64(h.Sum(sum[:0]))>>(64-keyedBits))
}
