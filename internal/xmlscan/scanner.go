package xmlscan

import (
	"bytes"
	"unicode/utf8"
)

// What a document may have. A request of the invoicing service needs a depth of 12, three
// namespaces and hardly an attribute.
const (
	// MaxDepth bounds how deep elements lie in each other.
	MaxDepth = 64
	// MaxAttributes bounds the attributes of an element.
	MaxAttributes = 64
	// MaxNamespaces bounds the namespaces that are declared at one place.
	MaxNamespaces = 128
	// MaxName bounds a name with its prefix, in bytes.
	MaxName = 512
)

// Kind is the kind of a token.
type Kind uint8

// The kinds of tokens. An empty-element tag is a Start and an End. A Text is a piece of text
// between two marks of any kind: the text of an element may come in several.
const (
	EOF Kind = iota
	Start
	End
	Text
)

// Scanner reads one document. Its zero value reads an empty one; Reset gives it a document.
type Scanner struct {
	data  []byte
	pos   int
	known []string

	// open are the elements that are open, open[:depth].
	open  [MaxDepth]element
	depth int
	// bindings are the namespaces that are declared here, the innermost last.
	bindings []binding
	attrs    []Attr

	// start is where the token begins.
	start int
	// local and space are the name and the namespace of the last start or end tag.
	local []byte
	space int
	// text is the last text, as it is written.
	text textPiece
	// closing: the last token was an empty-element tag, whose end comes next.
	closing bool
	// rooted: there was a root element.
	rooted bool
	marks  Marks
	failed *Error
}

// element is an element that is open.
type element struct {
	// raw is the name as it is written, local the part after the colon.
	raw, local, prefix []byte
	space              int
	// bindings is the number of namespaces that are declared around the element.
	bindings int
}

// Reset gives the scanner a document in UTF-8, with or without a byte order mark. known are the
// namespaces that Space tells apart. The scanner reads from data and does not change it.
func (s *Scanner) Reset(data []byte, known []string) {
	s.data, s.known = data, known
	s.pos, s.start, s.depth, s.space = 0, 0, 0, 0
	// All of them, not only those in use: they refer to the last document.
	clear(s.open[:])
	clear(s.bindings[:cap(s.bindings)])
	clear(s.attrs[:cap(s.attrs)])
	s.bindings, s.attrs = s.bindings[:0], s.attrs[:0]
	s.local, s.text = nil, textPiece{}
	s.closing, s.rooted, s.marks, s.failed = false, false, 0, nil
}

// Next reads the next token. After an error it returns the same error again.
func (s *Scanner) Next() (Kind, error) {
	if s.failed != nil {
		return EOF, s.failed
	}
	kind, err := s.next()
	if err != nil {
		return EOF, err
	}
	return kind, nil
}

func (s *Scanner) next() (Kind, *Error) {
	if s.closing {
		s.closing = false
		s.start = s.pos // the end of an empty-element tag has no bytes of its own
		s.leave()
		return End, nil
	}
	if s.pos == 0 {
		if err := s.begin(); err != nil {
			return EOF, err
		}
	}
	for s.pos < len(s.data) {
		s.start = s.pos
		if s.data[s.pos] != '<' {
			found, err := s.scanText()
			if err != nil || found {
				return Text, err
			}
			continue
		}
		kind, err := s.markup()
		if err != nil || kind != EOF {
			return kind, err
		}
	}
	if s.depth > 0 || !s.rooted {
		return EOF, s.cut()
	}
	s.start = s.pos
	return EOF, nil
}

// begin looks at the document as a whole before its first token.
func (s *Scanner) begin() *Error {
	if !utf8.Valid(s.data) {
		return s.fail(Bytes, invalidAt(s.data), "the text is not UTF-8")
	}
	if bytes.HasPrefix(s.data, bom) {
		s.pos = len(bom)
		s.marks |= Mark
	}
	return s.declaration()
}

func invalidAt(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
	return len(data)
}

// markup reads the token that begins with "<" and returns its kind, EOF for one that is passed over.
func (s *Scanner) markup() (Kind, *Error) {
	rest := s.data[s.pos+1:]
	if len(rest) == 0 {
		return EOF, s.cut()
	}
	switch rest[0] {
	case '/':
		return End, s.endTag()
	case '?':
		return EOF, s.instruction()
	case '!':
		switch {
		case bytes.HasPrefix(rest, []byte("!--")):
			return EOF, s.comment()
		case bytes.HasPrefix(rest, []byte("![CDATA[")):
			return Text, s.cdata()
		case bytes.HasPrefix(rest, []byte("!DOCTYPE")):
			return EOF, s.fail(Doctype, s.pos, "a document type is not allowed")
		}
		return EOF, s.fail(Syntax, s.pos, "unknown markup")
	}
	return Start, s.startTag()
}

// Local returns the name of the last start or end tag without its prefix.
func (s *Scanner) Local() []byte { return s.local }

// Space returns the namespace of the last start or end tag: the position in the known ones, or
// NoSpace or OtherSpace.
func (s *Scanner) Space() int { return s.space }

// Attrs returns the attributes of the last start tag without the declarations of namespaces.
// They hold until the next call of Next.
func (s *Scanner) Attrs() []Attr { return s.attrs }

// Depth returns the number of open elements: a start tag counts, an end tag no more.
func (s *Scanner) Depth() int { return s.depth }

// Offset returns where the last token begins, and Pos where it ends.
func (s *Scanner) Offset() int { return s.start }

// Pos returns where the last token ends.
func (s *Scanner) Pos() int { return s.pos }

// Empty reports whether the last token was an empty-element tag.
func (s *Scanner) Empty() bool { return s.closing }
