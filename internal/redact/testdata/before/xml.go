package redact

import (
	"bytes"
	"slices"
	"sync"

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
	if m.empty() {
		w := xmlRedaction{mask: m, request: request, echoes: m.echoes(echoes)}
		if kept := w.walk(text); !kept || !w.foreign {
			return w.result(kept, message, text, encoding)
		}
	}
	// The credentials of a request that was not understood are not among the echoes, and a field
	// may be quoted before it comes. What these add can only take more away.
	gather := xmlRedaction{mask: m, request: request, gathering: true}
	if !gather.walk(text) || len(gather.secrets) > maxSecrets {
		return nil, false
	}
	if len(gather.secrets) > 0 {
		echoes = append(slices.Clip(echoes), string(gather.secrets))
	}
	w := xmlRedaction{mask: m, request: request, echoes: m.echoes(echoes)}
	return w.result(w.walk(text), message, text, encoding)
}

// result returns the redacted message after a walk. Another one looks for credentials in texts
// where all texts together say that one may be there.
func (w *xmlRedaction) result(kept bool, message, text []byte, encoding xmlscan.Encoding) ([]byte, bool) {
	if !kept {
		return nil, false
	}
	if w.echoes.heard() {
		w.replaced, w.pieces = nil, make([]piece, 0, len(text)/32)
		if !w.walk(text) || !w.replacePieces() {
			return nil, false
		}
	}
	return w.kept(message, text, encoding), true
}

// xmlRedaction is one walk over one message.
type xmlRedaction struct {
	mask    *Mask
	request bool
	echoes  *Credentials
	// gathering: the walk only collects, into secrets, the credentials with a zero byte after
	// each, and into the mask the values of its fields.
	gathering bool
	secrets   []byte
	// foreign: the request has a credential that is not among the echoes, so that texts may
	// repeat what was not looked for.
	foreign bool

	open []openElement
	// replaced are the places that are not kept, in ascending order. pieces are what else may be part of a
	// credential; nil if it is only to be learned whether there is any.
	replaced []replacement
	pieces   []piece
}

// openElement is an element whose end has not come.
type openElement struct {
	secrecy secrecy
	hidden  bool // it, or one around it, is a field of the mask
	content int  // where its content begins
	parent  bool // it holds elements
	number  bool // the interface has a number there
	text    []byte
	noted   int // how much of the text was noted
}

// replacement is a place in the text, and what was there.
type replacement struct {
	from, to int
	was      []byte
}

// scanners are used again: one is larger than most messages.
var scanners = sync.Pool{New: func() any { return new(xmlscan.Scanner) }}

// walk reports whether all of the message can be kept except for the parts in replaced.
func (w *xmlRedaction) walk(text []byte) bool {
	s := scanners.Get().(*xmlscan.Scanner)
	defer scanners.Put(s)
	defer s.Reset(nil, nil) // nothing of a message stays
	s.Reset(text, nil)
	w.reset()
	for {
		at := s.Pos()
		kind, err := s.Next()
		if err != nil || !w.between(text, at, s.Offset()) {
			return false
		}
		ok := true
		switch kind {
		case xmlscan.EOF:
			return true
		case xmlscan.Start:
			ok = w.start(s, text[s.Offset():s.Pos()])
		case xmlscan.Text:
			w.open[len(w.open)-1].add(s)
		case xmlscan.End:
			ok = w.end(text, s.Offset())
		}
		if !ok {
			return false
		}
	}
}

// add adds the scanner's text to the element's. Nearly every element has one text, which is not copied.
func (e *openElement) add(s *xmlscan.Scanner) {
	if len(e.text) == 0 && s.Plain() {
		e.text = slices.Clip(s.Text(nil))
		return
	}
	e.text = append(e.text, s.Text(nil)...)
}

// end closes the innermost element, whose content ends at to.
func (w *xmlRedaction) end(text []byte, to int) bool {
	e := w.open[len(w.open)-1]
	w.open = w.open[:len(w.open)-1]
	blank := len(bytes.TrimSpace(e.text)) == 0
	outer := len(w.open) > 0 && (w.open[len(w.open)-1].hidden || w.open[len(w.open)-1].secrecy == secret)
	if w.gathering {
		w.gather(e, blank)
		return true
	}
	if w.request && e.secrecy == secret && !blank && !e.parent && !slices.Contains(w.echoes.texts, string(e.text)) {
		w.foreign = true
	}
	switch {
	case e.parent && (e.secrecy == secret || e.hidden):
		if !outer {
			w.replace(e.content, to, text[e.content:to])
		}
	case blank:
	case e.hidden || e.secrecy.hidesText(e.text) || w.mask.quotes(string(e.text)):
		if e.parent { // text between elements: no message of the interface has any
			return false
		}
		w.replace(e.content, to, e.text)
	default:
		w.noteText(&e, to)
	}
	return true
}

func (w *xmlRedaction) gather(e openElement, blank bool) {
	if blank || e.parent {
		return
	}
	if e.secrecy == secret {
		w.secrets = append(append(w.secrets, e.text...), 0)
	}
	if e.hidden && !w.mask.empty() {
		w.mask.remember(string(e.text))
	}
}

// hidesText is hides for the text of an element.
func (s secrecy) hidesText(text []byte) bool {
	switch s {
	case public:
		return false
	case unknown:
		return len(text) > maxName
	case number:
		return len(text) > len(cuitText)
	}
	return true
}

// between looks at what stands between two tokens: the declaration, comments and instructions. It
// replaces what a comment says that is too long for a remark, and reports false if an instruction
// is.
func (w *xmlRedaction) between(text []byte, from, to int) bool {
	if w.gathering {
		return true
	}
	for at := from; at < to; {
		opening, closing := "<!--", "-->"
		if bytes.HasPrefix(text[at:], []byte("<?")) {
			opening, closing = "<?", "?>"
		} else if !bytes.HasPrefix(text[at:], []byte(opening)) {
			at++ // white space
			continue
		}
		content := text[at+len(opening) : to]
		content = content[:max(bytes.Index(content, []byte(closing)), 0)]
		start, end := at+len(opening), at+len(opening)+len(content)
		switch {
		case len(content) <= maxName && !w.mask.quotes(string(content)) && opening == "<!--":
			w.note(content, textPiece, start, end)
		case len(content) <= maxName && !w.tells(content):
		case opening == "<!--":
			w.replace(start, end, content)
		case w.repeats(content) || !bytes.HasPrefix(content, []byte("xml ")):
			return false
		}
		at = end + len(closing)
	}
	return true
}

// replace notes a place that is not kept. It drops those within it.
func (w *xmlRedaction) replace(from, to int, was []byte) {
	for n := len(w.replaced); n > 0 && w.replaced[n-1].from >= from; n-- {
		w.replaced = w.replaced[:n-1]
	}
	w.replaced = append(w.replaced, replacement{from, to, was})
}

// kept returns the message with the places replaced.
func (w *xmlRedaction) kept(message, text []byte, encoding xmlscan.Encoding) []byte {
	if len(w.replaced) == 0 {
		return bytes.Clone(message)
	}
	places := xmlscan.NewPlaces(text, encoding)
	out, copied := make([]byte, 0, len(message)), 0
	for _, r := range w.replaced {
		out = append(out, message[copied:places.At(r.from)]...)
		out = append(out, encoding.Encode(w.mask.redactor.Fingerprint(r.was))...)
		copied = places.At(r.to)
	}
	return append(out, message[copied:]...)
}
