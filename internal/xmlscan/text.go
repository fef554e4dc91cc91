package xmlscan

import (
	"bytes"
	"unicode/utf8"
)

// textPiece is a text or a value as it is written.
type textPiece struct {
	raw []byte
	// decode: the text has references or ends of lines to be replaced.
	decode bool
	// literal: there are no references, as in a CDATA section.
	literal bool
	// attribute: white space becomes blanks.
	attribute bool
}

// Text returns the last text. It is a slice of the document where nothing in it is to be
// replaced; otherwise it is appended to buffer.
func (s *Scanner) Text(buffer []byte) []byte {
	if !s.text.decode {
		return s.text.raw
	}
	return s.text.append(buffer)
}

// Plain reports whether Text returns a slice of the document.
func (s *Scanner) Plain() bool { return !s.text.decode }

// Blank reports whether the last text is white space alone.
func (s *Scanner) Blank() bool { return IsSpace(s.text.raw) }

// scanText reads text up to the next mark. It reports false for the white space around the root
// element, where nothing else may stand.
func (s *Scanner) scanText() (bool, *Error) {
	i := s.pos
	s.text = textPiece{}
	for i < len(s.data) {
		c := s.data[i]
		if class[c]&textStop == 0 {
			i++
			continue
		}
		if c == '<' {
			break
		}
		if c == ']' && bytes.HasPrefix(s.data[i:], []byte("]]>")) {
			return false, s.fail(Syntax, i, "the end of a CDATA section that did not begin")
		}
		next, err := s.special(i, &s.text)
		if err != nil {
			return false, err
		}
		i = next
	}
	s.text.raw = s.data[s.pos:i]
	if s.depth == 0 {
		if !IsSpace(s.text.raw) {
			reason := Syntax
			if s.rooted {
				reason = Trailing
			}
			return false, s.fail(reason, s.pos, "text outside the root element")
		}
		s.pos = i
		return false, nil
	}
	s.pos = i
	return true, nil
}

// special looks at a byte of a text that is not one of its own and returns where the text goes
// on. It marks the text if something in it is to be replaced.
func (s *Scanner) special(i int, piece *textPiece) (int, *Error) {
	switch c := s.data[i]; {
	case c == '&':
		piece.decode = true
		_, size := reference(s.data[i:])
		if size == 0 {
			if len(s.data)-i <= maxReference && bytes.IndexByte(s.data[i:], ';') < 0 {
				return 0, s.cut()
			}
			return 0, s.fail(Syntax, i, "an unknown entity or character")
		}
		return i + size, nil
	case c == '\r', piece.attribute && (c == '\n' || c == '\t'):
		piece.decode = true
	case c < ' ' && class[c]&space == 0:
		return 0, s.fail(Syntax, i, "a character that XML does not have")
	case c == 0xEF:
		if r, _ := utf8.DecodeRune(s.data[i:]); !isChar(r) {
			return 0, s.fail(Syntax, i, "a character that XML does not have")
		}
	}
	return i + 1, nil
}

// cdata reads a CDATA section.
func (s *Scanner) cdata() *Error {
	if s.depth == 0 {
		return s.fail(Syntax, s.pos, "text outside the root element")
	}
	from := s.pos + len("<![CDATA[")
	length := bytes.Index(s.data[from:], []byte("]]>"))
	if length < 0 {
		return s.cut()
	}
	s.text = textPiece{raw: s.data[from : from+length], literal: true}
	if err := s.characters(from, from+length); err != nil {
		return err
	}
	s.text.decode = bytes.IndexByte(s.text.raw, '\r') >= 0
	s.pos = from + length + len("]]>")
	s.marks |= Section
	return nil
}

// characters checks that XML has the characters of a text that is not scanned any further.
func (s *Scanner) characters(from, to int) *Error {
	for i := from; i < to; i++ {
		c := s.data[i]
		if class[c]&textStop == 0 || c == '&' {
			continue
		}
		if _, err := s.special(i, &textPiece{}); err != nil {
			return err
		}
	}
	return nil
}

// append appends the text with its references resolved and its ends of lines made one.
func (p textPiece) append(dst []byte) []byte {
	for i := 0; i < len(p.raw); {
		c := p.raw[i]
		switch {
		case c == '&' && !p.literal:
			r, size := reference(p.raw[i:])
			dst = utf8.AppendRune(dst, r)
			i += max(size, 1)
			continue
		case c == '\r':
			if i+1 < len(p.raw) && p.raw[i+1] == '\n' {
				i++
			}
			c = '\n'
		}
		if p.attribute && (c == '\n' || c == '\t') {
			c = ' '
		}
		dst = append(dst, c)
		i++
	}
	return dst
}

// maxReference is the length of the longest reference that is read: the largest character has 7
// digits, and leading zeros are not endless.
const maxReference = 16

// reference reads the entity or the character with which text begins. The size is 0 where there
// is none.
func reference(text []byte) (rune, int) {
	end := bytes.IndexByte(text[:min(len(text), maxReference)], ';')
	if end < 2 {
		return 0, 0
	}
	switch name := string(text[1:end]); name {
	case "lt":
		return '<', end + 1
	case "gt":
		return '>', end + 1
	case "amp":
		return '&', end + 1
	case "quot":
		return '"', end + 1
	case "apos":
		return '\'', end + 1
	}
	digits, base := text[2:end], rune(10)
	if text[1] != '#' || len(digits) == 0 {
		return 0, 0
	}
	if digits[0] == 'x' {
		digits, base = digits[1:], 16
	}
	r, ok := number(digits, base)
	if !ok || !isChar(r) {
		return 0, 0
	}
	return r, end + 1
}

func number(digits []byte, base rune) (rune, bool) {
	var n rune
	for _, c := range digits {
		var d rune
		switch {
		case c >= '0' && c <= '9':
			d = rune(c - '0')
		case base == 16 && c|0x20 >= 'a' && c|0x20 <= 'f':
			d = rune(c|0x20-'a') + 10
		default:
			return 0, false
		}
		if n = n*base + d; n > utf8.MaxRune {
			return 0, false
		}
	}
	return n, len(digits) > 0
}
