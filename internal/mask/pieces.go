package mask

import (
	"bytes"
	"sort"
	"strconv"
	"sync"
)

// pieceKind says where a piece of a document stands. A piece can be of several kinds.
type pieceKind uint8

const (
	// textPiece is a text, figurePiece one of digits alone, such as a date or a CAE.
	textPiece pieceKind = 1 << iota
	figurePiece
	// numberPiece is a number, or the digits of one, that can be a byte.
	numberPiece
	// namePiece is a name that the interface does not have.
	namePiece
	// attributePiece is the value of an attribute.
	attributePiece
)

// sequences are the pieces that are read as one text: a credential may be cut over the values of a document,
// over the values of one kind, or over its names.
var sequences = []pieceKind{
	textPiece, textPiece | figurePiece, numberPiece, textPiece | figurePiece | numberPiece, namePiece, textPiece | figurePiece | numberPiece | namePiece,
	attributePiece,
}

// kindOf returns the kind of a text, as which its digits count too.
func kindOf(text []byte) pieceKind {
	switch {
	case !isFigure(text):
		return textPiece
	case len(text) >= minEcho:
		return figurePiece
	case isByte(text):
		return textPiece | numberPiece
	}
	return textPiece
}

// isFigure reports whether a text is a CAE, a date or a time: no ticket is as short and
// has digits alone.
func isFigure(text []byte) bool {
	if len(text) > len("20261120120000") {
		return false
	}
	for _, b := range text {
		if b < '0' || b > '9' {
			return false
		}
	}
	return true
}

// isByte reports whether digits are the number of a byte.
func isByte(digits []byte) bool {
	return len(digits) > 0 && (len(digits) < 3 || len(digits) == 3 && string(digits) <= "255")
}

// ofNumber returns the piece that a JSON number is: a byte in decimal digits, also one with a sign, as
// programs write that have no others. The digits of any other number are a figure.
func ofNumber(raw []byte) ([]byte, pieceKind) {
	const most = len("-128.00")
	switch {
	case isFigure(raw) && isByte(raw):
		return raw, numberPiece
	case isFigure(raw):
		return raw, figurePiece
	case len(raw) > most:
		return nil, 0
	}
	if whole, decimals, found := bytes.Cut(raw, []byte(".")); found && isFigure(whole) && isFigure(decimals) && (len(whole) == 1 || !bytes.HasPrefix(whole, []byte("0"))) {
		if !isByte(whole) || len(bytes.TrimLeft(decimals, "0")) > 0 { // as amounts are written: most are here
			return nil, 0
		}
		return whole, numberPiece
	}
	value, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || value != float64(int(value)) || value < -128 || value > 255 {
		return nil, 0
	}
	return strconv.AppendInt(nil, int64(value)&0xff, 10), numberPiece
}

// joined has the pieces of a document as one text each, to learn at once that none of them has a credential,
// alone or with others: nearly no document has one. A piece that is the same as the one before it stands once.
type joined struct {
	texts, numbers, names, all []byte
	attributes                 []byte
	last                       int  // where the last of the texts begins
	count                      int  // of numbers
	certain                    bool // a figure is a credential
}

// joineds are used again: what nearly every body needs is small.
var joineds = sync.Pool{New: func() any { return new(joined) }}

// maxJoined bounds the memory in bytes that is used again.
const maxJoined = 64 << 10

// listen begins to join the pieces of a document.
func (c *Credentials) listen() {
	if c.joined == nil {
		c.joined = joineds.Get().(*joined)
	}
	j := c.joined
	*j = joined{texts: j.texts[:0], numbers: j.numbers[:0], names: j.names[:0], all: j.all[:0], attributes: j.attributes[:0]}
}

// heard ends that, and reports whether there may be a credential.
func (c *Credentials) heard() bool {
	j := c.joined
	if j == nil {
		return false
	}
	c.joined = nil
	found := j.certain || c.in(j.texts) || j.count >= minRun && c.in(j.numbers) || c.in(j.names) || c.in(j.all) || c.in(j.attributes)
	if cap(j.texts)+cap(j.numbers)+cap(j.names)+cap(j.all)+cap(j.attributes) <= maxJoined {
		joineds.Put(j)
	}
	return found
}

// add adds a piece, with a blank behind it: a text in any form may be folded.
func (j *joined) add(c *Credentials, text []byte, kind pieceKind) {
	if kind&attributePiece != 0 {
		j.attributes = append(append(j.attributes, text...), ' ')
		return
	}
	if kind&figurePiece != 0 {
		j.certain = j.certain || len(text) >= minEcho && c.isShort(text)
		return
	}
	if kind&numberPiece != 0 {
		j.numbers = append(append(j.numbers, text...), ' ')
		j.count++
	}
	if kind&namePiece != 0 {
		j.names = append(append(j.names, text...), ' ')
	}
	if len(j.names) > 0 {
		j.all = append(append(j.all, text...), ' ')
	}
	if kind&textPiece != 0 && (len(j.texts) == 0 || string(text) != string(j.texts[j.last:len(j.texts)-1])) {
		j.last = len(j.texts)
		j.texts = append(append(j.texts, text...), ' ')
	}
}

// piece is a text, a number or a name of a document, and where it stands there.
type piece struct {
	text     []byte
	kind     pieceKind
	from, to int
	echo     bool
}

// maxSearched bounds the bytes that are read to find the pieces of credentials, in multiples of
// their length. Pieces that take more count as parts of one.
const maxSearched = 128

// echoes marks the pieces of a document that hold a part of a credential, or take part in one.
func (c *Credentials) echoes(pieces []piece) {
	for i := range pieces {
		pieces[i].echo = c.in(pieces[i].text)
	}
	for _, kind := range sequences {
		s := sequence{credentials: c}
		for i := range pieces {
			if pieces[i].kind&kind != 0 {
				s.pieces = append(s.pieces, &pieces[i])
				s.left += maxSearched * (len(pieces[i].text) + 1)
			}
		}
		s.mark()
	}
}

// sequence are pieces that are read as one text.
type sequence struct {
	credentials *Credentials
	pieces      []*piece
	left        int // how many bytes may still be read
	text        []byte
}

// in reports whether some consecutive pieces hold a part of a credential.
func (s *sequence) in(from, to int) bool {
	s.text = s.text[:0]
	for _, p := range s.pieces[from:to] {
		s.text = append(append(s.text, p.text...), ' ')
	}
	s.left -= len(s.text)
	return s.left < 0 || s.credentials.in(s.text)
}

// mark marks each of the shortest runs of pieces that hold a part of a credential.
func (s *sequence) mark() {
	for from, to := 0, 0; ; from++ {
		if to = s.end(from, to); to < 0 {
			return
		}
		// The pieces before it take no part.
		from += sort.Search(to-from-1, func(i int) bool { return !s.in(from+i+1, to) })
		for _, p := range s.pieces[from:to] {
			p.echo = true
		}
		if s.left < 0 {
			for _, p := range s.pieces[from:] {
				p.echo = true
			}
			return
		}
	}
}

// end returns where the shortest run from a place on ends that holds a part of a credential, -1 if there is
// none. It is none that ends before or at a place.
func (s *sequence) end(from, without int) int {
	without = max(without, from)
	for step := 1; ; step *= 2 {
		to := min(without+step, len(s.pieces))
		if to == without {
			return -1
		}
		if s.in(from, to) {
			return without + 1 + sort.Search(to-without-1, func(i int) bool { return s.in(from, without+1+i) })
		}
		without = to
	}
}
