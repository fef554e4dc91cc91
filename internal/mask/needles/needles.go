package needles

import (
	"encoding/base64"
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fielato/fielato/internal/mask/forms"
)

const (
	// minRun is how much of a credential counts as an echo of it, in characters of base64, and minDocument
	// how much of the document that a Token is in base64, in letters and digits: less of that is in other
	// texts too, such as the name of the certificate.
	minRun      = forms.MinRun
	minDocument = 48
	// MaxEchoed bounds how much of a credential's beginning and of its end, in bytes, is looked for in
	// bodies. A ticket of the service has a few thousand; a client that sends megabytes in its place must
	// not make each body be searched for them.
	MaxEchoed = 32 << 10
	// block is how many letters and digits are compared at a time.
	block = 8
	// maxChain bounds how often the same block of a credential is looked at. One that repeats is no ticket.
	maxChain = 64
)

// needles are parts of credentials, indexed so that a text is looked through once for all parts of all of
// them. A part of at least so many bytes as count has one of the indexed blocks, as these stand close
// enough together.
type needles struct {
	// squeeze has what each byte counts as (appendSqueezed); nil for bytes as they are.
	squeeze *[256]byte
	// least is how many bytes must be the same.
	least int
	made  bool
	// text has them all, with a zero between two.
	text   []byte
	blocks []needleBlock
	// heads has by the hash of a block the number of the last one in blocks, counted from 1. filter has in
	// the same places a bit for each of them: most texts have none of these.
	heads  []int32
	filter []byte
	shift  uint
}

// needleBlock is an indexed block: where it stands, and the one before it with the same hash, counted from 1.
type needleBlock struct{ at, before int32 }

// Haystack looks for credentials, for the documents that they are in base64, and for what they are in
// base64 where that is no text. Each is indexed when the first text comes that could hold it.
type Haystack struct {
	parts []string
	// credentials has them in the characters of base64, letters without those that others may stand for.
	credentials, letters, documents, binaries needles

	memory []byte
}

// New returns what looks for credentials, for so much of the beginning and the end of each at most.
func New(credentials []string, most int) *Haystack {
	h := &Haystack{
		credentials: needles{squeeze: &inBase64, least: minRun}, letters: needles{squeeze: &inText, least: minRun},
		documents: needles{squeeze: &inText, least: minDocument}, binaries: needles{least: minRun},
	}
	for _, credential := range credentials {
		if len(credential) > 2*most {
			h.parts = append(h.parts, credential[:most], credential[len(credential)-most:])
			continue
		}
		for part := range strings.SplitSeq(credential, "\x00") { // a malformed request has all of them in one text
			if len(part) >= minRun {
				h.parts = append(h.parts, part)
			}
		}
	}
	return h
}

// Empty reports whether no credential is as long as a part that counts.
func (h *Haystack) Empty() bool { return len(h.parts) == 0 }

// In reports whether a text holds a part of a credential.
func (h *Haystack) In(text []byte) bool {
	if len(h.parts) == 0 || len(text) < minRun {
		return false
	}
	var symbols, wide bool
	h.memory, symbols, wide = appendSqueezed(h.memory[:0], text, &inBase64)
	if wide && h.decoded(&h.binaries).in(text) {
		return true
	}
	if symbols {
		if h.plain(&h.credentials).in(h.memory) {
			return true
		}
		h.memory, _, _ = appendSqueezed(h.memory[:0], text, &inText)
	}
	if len(h.memory) < minDocument && isDigits(h.memory) && !h.haveDigits() { // the numbers of an invoice, for which no index is made
		return false
	}
	return len(h.memory) >= minRun && h.plain(&h.letters).in(h.memory) || len(h.memory) >= minDocument && h.decoded(&h.documents).in(h.memory)
}

// haveDigits reports whether a credential has as many digits in a row as count, whatever stands between.
func (h *Haystack) haveDigits() bool {
	return slices.ContainsFunc(h.parts, func(part string) bool {
		run := 0
		for _, b := range []byte(part) {
			switch {
			case b-'0' < 10:
				if run++; run == minRun {
					return true
				}
			case forms.IsAlphanumeric(b):
				run = 0
			}
		}
		return false
	})
}

func isDigits(text []byte) bool {
	for _, b := range text {
		if b-'0' >= 10 {
			return false
		}
	}
	return true
}

// plain returns needles with the credentials.
func (h *Haystack) plain(n *needles) *needles {
	if n.made {
		return n
	}
	size := 0
	for _, part := range h.parts {
		size += len(part) + 1
	}
	n.make(size)
	for _, part := range h.parts {
		n.add(part)
	}
	n.index()
	return n
}

// decoded returns needles with the bytes that the credentials encode in base64: text, or else binaries.
func (h *Haystack) decoded(n *needles) *needles {
	if n.made {
		return n
	}
	n.make(0)
	for _, part := range h.parts {
		if len(part) > MaxEchoed { // it is no ticket
			continue
		}
		plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(part, "="))
		if err == nil && utf8.Valid(plain) == (n.squeeze != nil) {
			n.add(string(plain))
		}
	}
	n.index()
	return n
}

// make makes room for so many bytes.
func (n *needles) make(size int) {
	n.made = true
	n.text, n.blocks = make([]byte, 1, size+1), make([]needleBlock, 0, size/(n.least-block+1)+1)
}

// add adds a text, if it is as long as what counts.
func (n *needles) add(text string) {
	if len(text) < n.least {
		return
	}
	from := len(n.text)
	n.text, _, _ = appendSqueezed(n.text, text, n.squeeze)
	if len(n.text)-from < n.least {
		n.text = n.text[:from]
		return
	}
	for at := from; at+block <= len(n.text); at += n.least - block + 1 {
		n.blocks = append(n.blocks, needleBlock{at: int32(at)})
	}
	n.text = append(n.text, 0)
}

// index makes the index, after everything was added.
func (n *needles) index() {
	if len(n.blocks) == 0 {
		return
	}
	size := 16
	for n.shift = 60; size < 2*len(n.blocks); n.shift-- {
		size *= 2
	}
	n.heads, n.filter = make([]int32, size), make([]byte, size)
	for i := range n.blocks {
		slot, bit := n.slot(n.text[n.blocks[i].at:])
		n.blocks[i].before = n.heads[slot]
		n.heads[slot] = int32(i) + 1
		n.filter[slot] |= bit
	}
}

// slot returns the place of a block in heads and filter, and its bit there.
func (n *needles) slot(text []byte) (slot uint64, bit byte) {
	const mixed = 0x9e3779b97f4a7c15
	hash := binary.LittleEndian.Uint64(text) * mixed
	return hash >> n.shift, 1 << (hash >> (n.shift - 3) & 7)
}

// in reports whether a text, squeezed as the needles are, holds a part that counts.
func (n *needles) in(text []byte) bool {
	if len(n.blocks) == 0 || len(text) < n.least {
		return false
	}
	for at := 0; at+block <= len(text); at++ {
		if slot, bit := n.slot(text[at:]); n.filter[slot]&bit != 0 && n.isAt(text, at, n.heads[slot]) {
			return true
		}
	}
	return false
}

// isAt reports whether a part that counts is around a place of a text, by one of the blocks from the one of this
// number on.
func (n *needles) isAt(text []byte, at int, number int32) bool {
	for looked := 0; number > 0 && looked < maxChain; looked++ {
		b := n.blocks[number-1]
		if n.isAround(text, at, int(b.at)) {
			return true
		}
		number = b.before
	}
	return false
}

// isAround reports whether enough of the text around a place is the same as around a block.
func (n *needles) isAround(text []byte, at, of int) bool {
	if binary.LittleEndian.Uint64(text[at:]) != binary.LittleEndian.Uint64(n.text[of:]) {
		return false
	}
	length := block
	for i := 1; length < n.least && at >= i && of >= i && text[at-i] == n.text[of-i]; i++ {
		length++
	}
	for i := block; length < n.least && at+i < len(text) && of+i < len(n.text) && text[at+i] == n.text[of+i]; i++ {
		length++
	}
	return length >= n.least
}
