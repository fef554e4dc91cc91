package mask

import (
	"bytes"
	"slices"

	"github.com/fielato/fielato/internal/xmlscan"
	"github.com/fielato/fielato/wsfev1"
)

// headerDepth is the depth of the Header of an envelope.
const headerDepth = 2

// Start returns an element, after a look at its tag. It reports false if the tag cannot be kept.
func (h *xmlHiding) Start(in *element, s *xmlscan.Scanner) (element, bool) {
	name := s.Local()
	known := memberOf(name)
	e := element{content: s.Pos(), member: known}
	if in != nil {
		if in.parent = true; len(in.text) > in.noted && !h.gathering {
			h.noteBetween(in)
		}
		e.hidden, e.secrecy = in.hidden, in.secrecy.in(known, name)
	}
	switch {
	case known != nil:
	case h.request && s.Depth() == headerDepth && foldName(string(name)) == "header":
		e.secrecy = secret // it is none of the interface: it may hold any password
	case e.secrecy == public && h.request:
		e.secrecy = unknown
	}
	e.hidden = e.hidden || h.mask != nil && h.mask.fields.names[foldName(string(name))]
	if h.gathering {
		return e, true
	}
	if !h.keepsName(name, known != nil) || !h.keepsTag(s, h.text[s.Offset():s.Pos()]) {
		return e, false
	}
	if known == nil && !messageNames[string(name)] {
		h.note(name, namePiece, nowhere, nowhere)
	}
	return e, true
}

// keepsName reports whether the name of an element may be kept: one of the interface is no part of
// a credential.
func (h *xmlHiding) keepsName(name []byte, known bool) bool {
	if known {
		return !h.repeats(name)
	}
	return len(name) <= maxName && (messageNames[string(name)] && h.mask == nil || !h.holds(name))
}

// keepsTag reports whether a start tag may be kept: no credential stands in it, as it is written
// or in the value of an attribute. A request's may be unknown, so nothing in its tag may be longer
// than a name but addresses.
func (h *xmlHiding) keepsTag(s *xmlscan.Scanner, tag []byte) bool {
	if bytes.IndexByte(tag, '=') < 0 {
		return !h.request || len(tag) <= maxName || isPlainTag(tag)
	}
	if h.request && !isPlainTag(tag) {
		return false
	}
	for _, a := range s.Attrs() {
		value := a.AppendValue(nil)
		if h.tells(value) || secretMembers[foldName(string(a.Local))] == secret && len(value) > 0 {
			return false
		}
		h.note(value, attributePiece, nowhere, nowhere)
		if h.request && len(value) > maxName && !(slices.Contains(longAttributes, string(a.Local)) && areAddresses(value)) {
			return false
		}
	}
	// The scanner does not give the declaration of a namespace as an attribute, so one that
	// would have to be resolved is not kept.
	return !h.holds(tag) && (bytes.IndexByte(tag, '&') < 0 || !bytes.Contains(tag, []byte("xmlns")))
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

// holds reports whether a text holds a part of a credential or the value of a field.
func (h *xmlHiding) holds(text []byte) bool { return h.echoes.in(text) || h.repeats(text) }

// tells is holds, or reports that the text names a field.
func (h *xmlHiding) tells(text []byte) bool { return h.echoes.in(text) || h.quotes(text) }

// messageNames are the names of elements that are no members: SOAP's own and the operations.
var messageNames = func() map[string]bool {
	names := map[string]bool{"Envelope": true, "Header": true, "Body": true, "Fault": true}
	for _, op := range wsfev1.Operations {
		names[op.Name], names[op.Name+"Response"], names[op.Name+"Result"] = true, true, true
	}
	return names
}()

// leadingRun returns with how many bytes of the alphabet the text begins.
func leadingRun(text []byte, alphabet *[256]bool) int {
	for i, b := range text {
		if !alphabet[b] {
			return i
		}
	}
	return len(text)
}

var base64Alphabet = func() (alphabet [256]bool) {
	for _, b := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		alphabet[b] = true
	}
	return alphabet
}()
