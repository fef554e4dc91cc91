package redact

import (
	"bytes"
	"slices"

	"github.com/fielato/fielato/internal/xmlscan"
)

// headerDepth is the depth of the Header of an envelope.
const headerDepth = 2

func (w *xmlRedaction) start(s *xmlscan.Scanner, tag []byte) bool {
	name := s.Local()
	within, known := interfaceElements[string(name)]
	of, hidden := public, false
	if n := len(w.open); n > 0 {
		outer := &w.open[n-1]
		if outer.parent = true; len(outer.text) > outer.noted && !w.gathering {
			w.noteBetween(outer)
		}
		hidden = outer.hidden
		if of = within[outer.secrecy]; !known {
			of = outer.secrecy.of(string(name))
		}
	}
	switch {
	case known:
	case w.request && s.Depth() == headerDepth && foldName(string(name)) == "header":
		of = secret // it is none of the interface: it may hold any password
	case of == public && w.request:
		of = unknown
	}
	hidden = hidden || !w.mask.empty() && w.mask.fields.names[foldName(string(name))]
	if !w.gathering && (!w.keepsName(name, known) || !w.keepsTag(s, tag)) {
		return false
	}
	if !known && !messageNames[string(name)] {
		w.note(name, namePiece, nowhere, nowhere)
	}
	w.open = append(w.open, openElement{secrecy: of, hidden: hidden, content: s.Pos(), number: known && numberNames[string(name)]})
	return true
}

// keepsName reports whether the name of an element may be kept: one of the interface is no part of
// a credential.
func (w *xmlRedaction) keepsName(name []byte, known bool) bool {
	if known {
		return w.mask.empty() || !w.mask.repeats(string(name))
	}
	return len(name) <= maxName && (messageNames[string(name)] && w.mask.empty() || !w.repeats(name))
}

// keepsTag reports whether a start tag may be kept: no credential stands in it, as it is written
// or in the value of an attribute. A request's may be unknown, so nothing in its tag may be longer
// than a name but addresses.
func (w *xmlRedaction) keepsTag(s *xmlscan.Scanner, tag []byte) bool {
	if w.request && !isPlainTag(tag) {
		return false
	}
	if bytes.IndexByte(tag, '=') < 0 {
		return true
	}
	for _, a := range s.Attrs() {
		value := a.AppendValue(nil)
		if w.tells(value) || secretMembers[foldName(string(a.Local))] == secret && len(value) > 0 {
			return false
		}
		w.note(value, attributePiece, nowhere, nowhere)
		if w.request && len(value) > maxName && !(slices.Contains(longAttributes, string(a.Local)) && areAddresses(value)) {
			return false
		}
	}
	// The scanner does not give the declaration of a namespace as an attribute, so one that
	// would have to be resolved is not kept.
	return !w.repeats(tag) && (bytes.IndexByte(tag, '&') < 0 || !bytes.Contains(tag, []byte("xmlns")))
}

// longAttributes are the attributes of SOAP and XML Schema whose values are addresses.
var longAttributes = []string{"encodingStyle", "noNamespaceSchemaLocation", "schemaLocation"}

// isPlainTag reports whether no name or prefix in a start tag is longer than any of the
// interface's, and whether the namespaces that it declares are addresses.
func isPlainTag(tag []byte) bool {
	for len(tag) > 0 {
		names, rest := tag, []byte(nil)
		if quoted := bytes.IndexAny(tag, `"'`); quoted >= 0 {
			names, rest = tag[:quoted], tag[quoted:]
		}
		last := []byte(nil)
		for name := range bytes.FieldsFuncSeq(names, func(r rune) bool { return r <= ' ' || r == '<' || r == '>' || r == '/' || r == '=' }) {
			prefix, local, _ := bytes.Cut(name, []byte(":"))
			if len(prefix) > maxName || len(local) > maxName {
				return false
			}
			last = prefix
		}
		if len(rest) == 0 {
			return true
		}
		value, after, _ := bytes.Cut(rest[1:], rest[:1])
		if string(last) == "xmlns" && !areAddresses(value) {
			return false
		}
		tag = after
	}
	return true
}

// maxAddress bounds the length in bytes of an address that is kept. A Sign has more.
const maxAddress = 128

// areAddresses reports whether a value can be addresses with blanks between: none has as many
// characters of base64 in a row as a credential has.
func areAddresses(value []byte) bool {
	for address := range bytes.FieldsSeq(value) {
		if len(address) > maxAddress {
			return false
		}
		for len(address) > 0 {
			run := leadingRun(address, &base64Alphabet)
			if run > maxName {
				return false
			}
			address = address[min(run+1, len(address)):]
		}
	}
	return true
}

// repeats reports whether a text holds a part of a credential or the value of a field.
func (w *xmlRedaction) repeats(text []byte) bool {
	return w.echoes.in(text) || w.mask.repeats(string(text))
}

// tells is repeats, or reports that the text names a field.
func (w *xmlRedaction) tells(text []byte) bool {
	return w.echoes.in(text) || w.mask.quotes(string(text))
}
