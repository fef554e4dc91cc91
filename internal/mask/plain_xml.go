package mask

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/fielato/fielato/internal/mask/walk"
	"github.com/fielato/fielato/internal/xmlscan"
)

// plainMessage reads a message as nearly all programs write it: an element has a text or elements, a tag has no
// attributes but declarations of namespaces, and all names are SOAP's or the interface's. It hides the same as a
// walk, in a fraction of the time, and leaves to it each message that is written otherwise, is no XML or may hold
// an echo.
type plainMessage struct {
	*xmlHiding
	at    int // what comes next
	open  [plainDepth]plainElement
	depth int
	// prefixes are declared by the open elements, prefixes[:declared].
	prefixes [plainPrefixes][]byte
	declared int
	// strange: the tag has a declaration that is not among the usual ones.
	strange bool
}

const (
	plainDepth    = 16 // the interface's messages have 9
	plainPrefixes = 8
)

// plainElement is an element that is open.
type plainElement struct {
	name     []byte  // as it is written
	member   *member // nil for names of SOAP and of operations
	secrecy  secrecy
	declared int // how many prefixes the elements around it declare
}

// plain is walk and settle for a plain message. It returns false where they have to look.
func (h *xmlHiding) plain() bool {
	if h.mask != nil {
		return false
	}
	h.begin()
	h.edits = h.first[:0]
	p := plainMessage{xmlHiding: h}
	return p.read() && (!h.looks() || !h.echoes.heard())
}

func (p *plainMessage) read() bool {
	if !utf8.Valid(p.text) || !p.declaration() {
		return false
	}
	for leaf := false; ; {
		length := bytes.IndexByte(p.text[p.at:], '<')
		if length < 0 || p.at+length+1 == len(p.text) {
			return false
		}
		from, to := p.at, p.at+length
		p.at = to + 1
		closes := p.text[p.at] == '/'
		if !xmlscan.IsSpace(p.text[from:to]) && !(leaf && closes && p.leaf(from, to)) {
			return false
		}
		var ok bool
		if closes {
			leaf, ok = false, p.end()
		} else {
			leaf, ok = p.start()
		}
		if !ok || p.depth == 0 {
			return ok && xmlscan.IsSpace(p.text[p.at:])
		}
	}
}

// declaration passes over the XML declaration.
func (p *plainMessage) declaration() bool {
	rest, found := bytes.CutPrefix(p.text, []byte("<?"))
	if !found {
		return true
	}
	content, _, found := bytes.Cut(rest, []byte("?>"))
	p.at = len(content) + len("<??>")
	return found && slices.ContainsFunc(declarations, func(d string) bool { return d == string(content) })
}

// leaf hides the text of the innermost element, or notes it.
func (p *plainMessage) leaf(from, to int) bool {
	text, of := p.text[from:to], &p.open[p.depth-1]
	switch {
	case of.member == nil || isBlank(text) || !isPlain(text):
		return false
	case of.secrecy == secret:
		if p.request && !p.echoes.has(text) { // it may be quoted where nothing was looked for
			return false
		}
		p.edits = append(p.edits, walk.Edit{From: from, To: to, Text: text})
		return true
	case of.secrecy.hidesText(text):
		return false
	}
	if text, kind := of.member.piece(text); kind != 0 {
		p.note(text, kind, nowhere, nowhere)
	}
	return true
}

// end reads the rest of an end tag.
func (p *plainMessage) end() bool {
	if p.depth == 0 {
		return false
	}
	of := &p.open[p.depth-1]
	after, found := bytes.CutPrefix(p.text[p.at+1:], of.name)
	if !found || len(after) == 0 || after[0] != '>' {
		return false
	}
	p.at += len("/") + len(of.name) + len(">")
	p.depth, p.declared = p.depth-1, of.declared
	return true
}

// place finds how the element of a name is treated.
func (p *plainMessage) place(e *plainElement, local []byte, empty bool) bool {
	in := public
	if p.depth > 0 {
		in = p.open[p.depth-1].secrecy
	}
	if in != public && in != holder {
		return false
	}
	if e.member = memberOf(local); e.member != nil {
		e.secrecy = e.member.within[in]
		return true
	}
	return in == public && messageNames[string(local)] && (empty || !p.request || string(local) != "Header")
}

// isPlain reports whether a text stands for itself and can be in any element.
func isPlain(text []byte) bool {
	for _, b := range text {
		if !plainText[b] {
			return false
		}
	}
	return true
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

// plainText are the bytes that stand for themselves in a text, plainName the bytes of a name.
var plainText, plainName = func() (text, name [256]bool) {
	for b := range text {
		text[b] = b >= ' ' && b != '<' && b != '&' && b != ']' && b != 0xEF
		name[b] = isLetter(byte(b)) || b >= '0' && b <= '9' || b == '_' || b == '-' || b == '.' || b == ':'
	}
	return text, name
}()
