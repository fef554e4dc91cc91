package xmlscan

import (
	"bytes"
	"slices"
)

const (
	// NoSpace is the namespace of a name that has none.
	NoSpace = -1
	// OtherSpace is one that is not among the known ones.
	OtherSpace = -2
)

// The namespaces that every document has.
const (
	xmlSpace   = "http://www.w3.org/XML/1998/namespace"
	xmlnsSpace = "http://www.w3.org/2000/xmlns/"
)

// Attr is an attribute.
type Attr struct {
	Local []byte
	// Space is the namespace, as Scanner.Space has it.
	Space int
	// Start and End are where the value stands in the document.
	Start, End int

	prefix, uri []byte
	value       textPiece
	at          int
}

// AppendValue appends the value, its entities resolved.
func (a Attr) AppendValue(dst []byte) []byte { return a.value.append(dst) }

// Is reports whether the value is this text, white space around it left aside.
func (a Attr) Is(text string) bool {
	if !a.value.decode {
		return string(TrimSpace(a.value.raw)) == text
	}
	if len(a.value.raw) > MaxName {
		return false
	}
	return string(TrimSpace(a.value.append(nil))) == text
}

// binding is a namespace that is declared. No URI takes a default namespace back.
type binding struct {
	prefix, uri []byte
	space       int
}

// bind declares a namespace for the element whose attributes are read.
func (s *Scanner) bind(at int, prefix []byte, value textPiece) *Error {
	uri := value.raw
	if value.decode {
		uri = value.append(nil)
		s.marks |= Escaped
	}
	if prefix != nil && len(uri) == 0 {
		return s.fail(Syntax, at, "a prefix of no namespace")
	}
	if (string(prefix) == "xml") != (string(uri) == xmlSpace) || string(prefix) == "xmlns" || string(uri) == xmlnsSpace {
		return s.fail(Syntax, at, "a reserved namespace is declared")
	}
	for _, b := range s.bindings[s.open[s.depth].bindings:] {
		if bytes.Equal(b.prefix, prefix) {
			return s.fail(Syntax, at, "a namespace is declared twice")
		}
	}
	if len(s.bindings) == MaxNamespaces {
		return s.fail(Limit, at, "too many namespaces")
	}
	s.bindings = append(s.bindings, binding{prefix: prefix, uri: uri, space: s.spaceOf(uri)})
	return nil
}

func (s *Scanner) spaceOf(uri []byte) int {
	if len(uri) == 0 {
		return NoSpace
	}
	for i, known := range s.known {
		if string(uri) == known {
			return i
		}
	}
	return OtherSpace
}

// resolve finds the namespaces of the element whose tag was read, and of its attributes.
func (s *Scanner) resolve(e *element) *Error {
	if s.depth > 0 && e.bindings == len(s.bindings) && bytes.Equal(e.prefix, s.open[s.depth-1].prefix) {
		e.space = s.open[s.depth-1].space
	} else if b, ok := s.lookup(e.prefix); ok {
		e.space = b.space
	} else {
		return s.fail(Syntax, s.pos, "a prefix that is not declared")
	}
	for i := range s.attrs {
		a := &s.attrs[i]
		a.Space, a.uri = NoSpace, nil
		if len(a.prefix) > 0 {
			b, ok := s.lookup(a.prefix)
			if !ok {
				return s.fail(Syntax, a.at, "a prefix that is not declared")
			}
			a.Space, a.uri = b.space, b.uri
		}
		for _, other := range s.attrs[:i] {
			if bytes.Equal(a.Local, other.Local) && bytes.Equal(a.uri, other.uri) {
				return s.fail(Syntax, a.at, "an attribute is repeated")
			}
		}
	}
	return nil
}

func (s *Scanner) lookup(prefix []byte) (binding, bool) {
	for _, b := range slices.Backward(s.bindings) {
		if bytes.Equal(b.prefix, prefix) {
			return b, true
		}
	}
	switch string(prefix) {
	case "":
		return binding{space: NoSpace}, true
	case "xml":
		return binding{uri: []byte(xmlSpace), space: s.spaceOf([]byte(xmlSpace))}, true
	}
	return binding{}, false
}
