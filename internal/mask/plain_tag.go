package mask

import (
	"bytes"
	"slices"

	"github.com/fielato/fielato/internal/xmlscan"
)

// start reads the rest of a start tag, and reports whether a text may come now.
func (p *plainMessage) start() (leaf, ok bool) {
	if p.depth == plainDepth {
		return false, false
	}
	from := p.at
	e := plainElement{name: p.name(), declared: p.declared}
	if !p.namespaces(e.declared) {
		return false, false
	}
	empty := p.text[p.at] == '/'
	if empty {
		p.at++
	}
	if p.at == len(p.text) || p.text[p.at] != '>' {
		return false, false
	}
	p.at++
	prefix, local := []byte(nil), e.name
	if colon := bytes.IndexByte(e.name, ':'); colon >= 0 {
		prefix, local = e.name[:colon], e.name[colon+1:]
	}
	if !p.isDeclared(prefix) || !p.keepsPlainTag(p.text[from-1:p.at]) || !p.place(&e, local, empty) {
		return false, false
	}
	if empty {
		p.declared = e.declared
		return false, true
	}
	p.open[p.depth] = e
	p.depth++
	return true, true
}

// name reads a name, empty if none comes next.
func (p *plainMessage) name() []byte {
	from := p.at
	for p.at < len(p.text) && plainName[p.text[p.at]] {
		p.at++
	}
	return p.text[from:p.at]
}

// namespaces reads the declarations of namespaces in a tag up to what ends it. The tags around it declare the
// first of the prefixes.
func (p *plainMessage) namespaces(around int) bool {
	standard := false
	for {
		from := p.at
		for p.at < len(p.text) && xmlscan.IsSpace(p.text[p.at:p.at+1]) {
			p.at++
		}
		switch {
		case p.at == len(p.text):
			return false
		case p.text[p.at] == '>', p.text[p.at] == '/':
			return true
		case p.at == from:
			return false
		}
		name := p.name()
		address, ok := p.address()
		prefix, found := bytes.CutPrefix(name, []byte("xmlns:"))
		if len(prefix) >= minEcho && found || !isKnownAddress(address) {
			p.strange = true
		}
		switch {
		case !ok:
			return false
		case string(name) == "xmlns":
			if standard {
				return false
			}
			standard = true
			continue
		case !found || len(prefix) == 0 || !isLetter(prefix[0]) || bytes.HasPrefix(prefix, []byte("xml")) || bytes.IndexByte(prefix, ':') >= 0:
			return false
		case p.declared == plainPrefixes || slices.ContainsFunc(p.prefixes[around:p.declared], func(b []byte) bool { return bytes.Equal(b, prefix) }):
			return false
		}
		p.prefixes[p.declared] = prefix
		p.declared++
	}
}

// address reads the name of a namespace, none of those that have a prefix always.
func (p *plainMessage) address() ([]byte, bool) {
	rest := p.text[p.at:]
	if len(rest) < len(`="`) || rest[0] != '=' || rest[1] != '"' && rest[1] != '\'' {
		return nil, false
	}
	length := bytes.IndexByte(rest[2:], rest[1])
	if length <= 0 {
		return nil, false
	}
	value := rest[2 : 2+length]
	p.at += len(`=""`) + length
	return value, isPlain(value) && !bytes.HasPrefix(value, []byte("http://www.w3.org/XML/1998/namespace")) && !bytes.HasPrefix(value, []byte("http://www.w3.org/2000/xmlns/"))
}

// isKnownAddress reports whether a namespace is one that most messages declare. It tells nothing of a credential,
// and needs no search: it would be the only one in most messages.
func isKnownAddress(name []byte) bool {
	switch string(name) {
	case "http://ar.gov.afip.dif.FEV1/", "http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope",
		"http://www.w3.org/2001/XMLSchema", "http://www.w3.org/2001/XMLSchema-instance":
		return true
	}
	return false
}

// isDeclared reports whether a prefix is declared, which no prefix always is.
func (p *plainMessage) isDeclared(prefix []byte) bool {
	return prefix == nil || slices.ContainsFunc(p.prefixes[:p.declared], func(b []byte) bool { return bytes.Equal(b, prefix) })
}

// keepsPlainTag is keepsTag, but for the search for credentials.
func (p *plainMessage) keepsPlainTag(tag []byte) bool {
	if p.strange {
		p.note(tag, attributePiece, nowhere, nowhere)
		p.strange = false
	}
	return !p.request || len(tag) <= maxName || isPlainTag(tag)
}
