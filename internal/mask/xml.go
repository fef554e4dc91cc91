package mask

import (
	"bytes"
	"slices"

	"github.com/fielato/fielato/internal/mask/walk"
	"github.com/fielato/fielato/internal/xmlscan"
)

// XML is Body for a SOAP message. It keeps all bytes, in the message's own encoding, but for
//
//   - the text of an element that the interface marks as secret, whatever prefix it has and
//     whatever the case of its name, and whatever CDATA sections, entities and comments it is
//     made of;
//   - everything but Cuit within an element that holds such elements;
//   - any text that holds a part of one of the credentials in echoes;
//   - in a request, all of a Header, a text longer than a name in an element that the interface does not have, and
//     comments and instructions that long;
//   - the fields that the mask hides, wherever they stand.
//
// It returns false if the message cannot be read to its end, or holds a credential where none can
// be replaced, such as in a name or an attribute. Such a message must not be kept.
func (m *Mask) XML(message []byte, charset string, request bool, echoes ...string) ([]byte, bool) {
	text, encoding, err := xmlscan.Decode(message, charset)
	if err != nil {
		return nil, false
	}
	h := m.inMessage(text, request, echoes)
	if h.plain() {
		return h.kept(message, encoding), true
	}
	h = m.inMessage(text, request, echoes)
	if !h.whole(m, echoes) {
		return nil, false
	}
	return h.kept(message, encoding), true
}

func (m *Mask) inMessage(text []byte, request bool, echoes []string) xmlHiding {
	h := xmlHiding{hiding: m.hiding(), text: text, request: request}
	h.echoes = m.echoes(echoes)
	return h
}

// whole hides what a message of any kind has, and reports whether it can be kept.
func (h *xmlHiding) whole(m *Mask, echoes []string) bool {
	h.begin()
	if h.mask == nil && !h.walk() {
		return false
	}
	if h.mask != nil || h.foreign {
		// The credentials of a request that was not understood are not among the echoes, and a field
		// may be quoted before it comes. What these add can only take more away.
		gather := xmlHiding{hiding: m.hiding(), text: h.text, request: h.request, gathering: true}
		if !gather.walk() || len(gather.secrets) > maxSecrets {
			return false
		}
		if len(gather.secrets) > 0 {
			echoes = append(slices.Clip(echoes), string(gather.secrets))
		}
		*h = m.inMessage(h.text, h.request, echoes)
		h.begin()
		if !h.walk() {
			return false
		}
	}
	return h.settle(h.walk, len(h.text)/32)
}

// xmlHiding hides what a message has.
type xmlHiding struct {
	hiding
	text    []byte
	request bool
	// gathering: the walk only collects, into secrets, the credentials with a zero byte after
	// each, and into the mask the values of its fields.
	gathering bool
	secrets   []byte
	// foreign: the request has a credential that is not among the echoes, so that texts may
	// repeat what was not looked for.
	foreign bool
}

// element is an element whose end has not come.
type element struct {
	secrecy secrecy
	hidden  bool    // it, or one around it, is a field of the mask
	parent  bool    // it holds elements
	member  *member // nil if the interface has none of its name
	content int     // where its content begins
	text    []byte
	noted   int // how much of the text was noted
}

func (h *xmlHiding) walk() bool { return walk.XML(h.text, h) }

// kept returns the message with the edits.
func (h *xmlHiding) kept(message []byte, encoding xmlscan.Encoding) []byte {
	places := xmlscan.NewPlaces(h.text, encoding)
	for i := range h.edits {
		h.edits[i].From, h.edits[i].To = places.At(h.edits[i].From), places.At(h.edits[i].To)
	}
	return walk.Apply(message, h.edits, func(out, text []byte) []byte {
		if encoding < xmlscan.UTF16BE { // a fingerprint is ASCII
			return h.redactor.appendFingerprint(out, text)
		}
		return append(out, encoding.Encode(h.redactor.Fingerprint(text))...)
	})
}

// Text adds a text to the element's. Nearly every element has one text, which is not copied.
func (h *xmlHiding) Text(in *element, s *xmlscan.Scanner) bool {
	if len(in.text) == 0 && s.Plain() {
		in.text = slices.Clip(s.Text(nil))
	} else {
		in.text = append(in.text, s.Text(nil)...)
	}
	return true
}

// End hides what an element holds, or notes it.
func (h *xmlHiding) End(of, in *element, s *xmlscan.Scanner) bool {
	blank, to := isBlank(of.text), s.Offset()
	if h.gathering {
		h.gather(of, blank)
		return true
	}
	if h.request && of.secrecy == secret && !blank && !of.parent && !h.echoes.has(of.text) {
		h.foreign = true
	}
	switch {
	case of.parent && (of.secrecy == secret || of.hidden):
		if in == nil || !in.hidden && in.secrecy != secret {
			h.replace(of.content, to, h.text[of.content:to])
		}
	case blank:
	case of.hidden || of.secrecy.hidesText(of.text) || h.quotes(of.text):
		if of.parent { // text between elements: no message of the interface has any
			return false
		}
		h.replace(of.content, to, of.text)
	default:
		h.noteText(of, to)
	}
	return true
}

func (h *xmlHiding) gather(e *element, blank bool) {
	if blank || e.parent {
		return
	}
	if e.secrecy == secret {
		h.secrets = append(append(h.secrets, e.text...), 0)
	}
	if e.hidden && h.mask != nil {
		h.mask.remember(string(e.text))
	}
}

// isBlank reports whether a text is white space alone, as most texts show with their first byte that they are not.
func isBlank(text []byte) bool {
	return len(text) == 0 || (text[0] <= ' ' || text[0] > '~') && len(bytes.TrimSpace(text)) == 0
}

// noteText notes the text of an element whose content ends at to.
func (h *xmlHiding) noteText(e *element, to int) {
	text, kind := e.member.piece(e.text)
	from := e.content
	if e.parent {
		h.noteBetween(e)
		from, to = nowhere, nowhere
	}
	if kind != 0 {
		h.note(text, kind, from, to)
	}
}

// piece returns the piece that the text of an element is. A number counts as it does in JSON.
func (m *member) piece(text []byte) ([]byte, pieceKind) {
	if m != nil && m.number && isDecimal(text) {
		return ofNumber(text)
	}
	return text, kindOf(text)
}

// isDecimal reports whether a text is a number as programs write amounts.
func isDecimal(text []byte) bool {
	points := 0
	for i, b := range text {
		switch {
		case b-'0' < 10:
		case b == '.' && i > 0 && points == 0:
			points++
		case b != '-' || i > 0:
			return false
		}
	}
	return len(text) > 0 && text[len(text)-1]-'0' < 10
}

// noteBetween notes the text that an element has before one within it, or after the last one.
func (h *xmlHiding) noteBetween(e *element) {
	if text := e.text[e.noted:]; !isBlank(text) {
		h.note(text, kindOf(text), nowhere, nowhere)
	}
	e.noted = len(e.text)
}

// declarations are how programs begin a document. They are in every document, so they tell nothing of a credential,
// and need no search: it would be the only one in most documents.
var declarations = []string{
	`xml version="1.0" encoding="utf-8"`, `xml version="1.0" encoding="UTF-8"`, `xml version='1.0' encoding='utf-8'`,
	`xml version="1.0" encoding="UTF-8" standalone="no"`, `xml version="1.0" encoding="utf-8" standalone="yes"`, `xml version="1.0"`,
}

// Between looks at what stands between two tokens: the declaration, comments and instructions. It
// replaces what a comment says that is too long for a remark, and reports false if an instruction
// is.
func (h *xmlHiding) Between(from, to int) bool {
	if h.gathering {
		return true
	}
	for at := from; at < to; {
		opening, closing := "<!--", "-->"
		if bytes.HasPrefix(h.text[at:], []byte("<?")) {
			opening, closing = "<?", "?>"
		} else if !bytes.HasPrefix(h.text[at:], []byte(opening)) {
			at++ // white space
			continue
		}
		content := h.text[at+len(opening) : to]
		content = content[:max(bytes.Index(content, []byte(closing)), 0)]
		start, end := at+len(opening), at+len(opening)+len(content)
		switch {
		case len(content) <= maxName && !h.quotes(content) && opening == "<!--":
			h.note(content, textPiece, start, end)
		case opening == "<?" && slices.Contains(declarations, string(content)):
		case len(content) <= maxName && !h.tells(content):
		case opening == "<!--":
			h.replace(start, end, content)
		case h.holds(content) || !bytes.HasPrefix(content, []byte("xml ")):
			return false
		}
		at = end + len(closing)
	}
	return true
}

// replace notes a place that is not kept. It drops those within it.
func (h *xmlHiding) replace(from, to int, was []byte) {
	for n := len(h.edits); n > 0 && h.edits[n-1].From >= from; n-- {
		h.edits = h.edits[:n-1]
	}
	h.edits = append(h.edits, walk.Edit{From: from, To: to, Text: was})
}
