package term

import (
	"encoding/binary"
	"slices"
	"sort"

	"github.com/fielato/fielato/internal/segment/run"
)

// Term is 48 bits of the hash of something that a record can be found by. Two things may
// share a term, so a search compares the records themselves in the end. How terms are made
// is part of the store format: changing it makes existing records unfindable.
type Term uint64

const (
	// Bytes is the length of a term, packed.
	Bytes = 6
	mask  = 1<<(8*Bytes) - 1
)

// Posted is the part of the term that postings have.
func (t Term) Posted() run.Term { return run.Term(t >> (8*Bytes - run.TermBits)) }

// Of returns the term of some numbers. The first says what they are about.
func Of(about uint64, numbers ...uint64) Term {
	h := mix(about)
	for _, n := range numbers {
		h = mix(h ^ n)
	}
	return Term(h & mask)
}

// OfText returns the term of a text.
func OfText(about uint64, text string) Term {
	h := uint64(14695981039346656037) // FNV-1a
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return Of(about, h)
}

// mix is the finalizer of MurmurHash3: each bit depends on each.
func mix(h uint64) uint64 {
	h += 0x9e3779b97f4a7c15
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// Sort sorts terms, and leaves each once.
func Sort(terms []Term) []Term {
	slices.Sort(terms)
	return slices.Compact(terms)
}

// Pack appends terms to a list.
func Pack(list []byte, terms []Term) []byte {
	for _, t := range terms {
		list = append(list, byte(t>>40), byte(t>>32), byte(t>>24), byte(t>>16), byte(t>>8), byte(t))
	}
	return list
}

// At returns the i-th term of a list.
func At(list []byte, i int) Term {
	b := list[i*Bytes:][:Bytes]
	return Term(binary.BigEndian.Uint16(b))<<32 | Term(binary.BigEndian.Uint32(b[2:]))
}

// In reports whether a list that is sorted has the term.
func (t Term) In(list []byte) bool {
	n := len(list) / Bytes
	i := sort.Search(n, func(i int) bool { return At(list, i) >= t })
	return i < n && At(list, i) == t
}
