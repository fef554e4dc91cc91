package mask

import (
	"strings"

	"github.com/fielato/fielato/internal/mask/walk"
	"github.com/fielato/fielato/internal/xmlscan"
)

// CollectXML remembers the documents in a message. charset comes from its media type, empty for none.
func (m *Mask) CollectXML(message []byte, charset string) {
	if m == nil || len(message) == 0 {
		return
	}
	text, _, err := xmlscan.Decode(message, charset)
	if err != nil {
		return
	}
	walk.XML(text, &inXML{mask: m, text: text, collecting: true}) // what was read up to an error counts
}

// collectAttributes remembers the documents in the attributes of a start tag, within an element of this name.
func (m *Mask) collectAttributes(within string, s *xmlscan.Scanner) {
	for _, a := range s.Attrs() {
		value := string(a.AppendValue(nil))
		inDocument := strings.EqualFold(within, member) || strings.EqualFold(string(s.Local()), member)
		if inDocument && !saysNothing(string(a.Local), value) || strings.EqualFold(string(a.Local), member) {
			m.add(value)
		}
	}
}

// XML returns a message in UTF-8 with Hidden in place of the documents. It returns false for a message that
// is not XML, which must not be shown.
func (m *Mask) XML(message []byte, charset string) (string, bool) {
	text, _, err := xmlscan.Decode(message, charset)
	if err != nil {
		return "", false
	}
	if m == nil {
		return string(text), true
	}
	in := inXML{mask: m, text: text}
	if !walk.XML(text, &in) {
		return "", false
	}
	return string(walk.Apply(text, in.edits, write)), true
}

// inXML looks for documents in a message. A place is the name of an element.
type inXML struct {
	mask *Mask
	text []byte
	// collecting: the documents are only remembered. document is one as far as it was read, and entry what an
	// Opcional says.
	collecting bool
	document   strings.Builder
	entry      opcional
	edits      []walk.Edit
}

// show notes the text that is shown for a part of the message, if that is another.
func (in *inXML) show(from, to int, text string) bool {
	if text != string(in.text[from:to]) {
		in.edits = append(in.edits, walk.Edit{From: from, To: to, Text: []byte(text)})
	}
	return true
}

// Between looks at comments and instructions.
func (in *inXML) Between(from, to int) bool {
	return in.collecting || in.show(from, to, in.mask.Text(string(in.text[from:to])))
}

// Start looks at a start tag.
func (in *inXML) Start(around *string, s *xmlscan.Scanner) (string, bool) {
	name, of := string(s.Local()), ""
	if around != nil {
		of = *around
	}
	if in.collecting {
		in.mask.collectAttributes(of, s)
		in.endDocument()
	} else {
		in.show(s.Offset(), s.Pos(), in.mask.startTag(string(in.text[s.Offset():s.Pos()]), of, s))
	}
	if holdsAll(of) {
		name = of
	}
	return name, true
}

// Text looks at a text, whose entities may spell a document.
func (in *inXML) Text(around *string, s *xmlscan.Scanner) bool {
	name, text := *around, string(s.Text(nil))
	if in.collecting {
		in.entry.set(name, text)
		if strings.EqualFold(name, member) {
			in.document.WriteString(text)
		} else {
			in.endDocument()
		}
		return true
	}
	if in.mask.isPersonal(name) {
		text = strings.TrimSpace(text)
	}
	if shown, changed := in.mask.shown(name, text, true); changed {
		in.edits = append(in.edits, walk.Edit{From: s.Offset(), To: s.Pos(), Text: xmlscan.AppendText(nil, shown)})
	}
	return true
}

// End looks at an end tag.
func (in *inXML) End(of, _ *string, s *xmlscan.Scanner) bool {
	if !in.collecting {
		return in.show(s.Offset(), s.Pos(), in.mask.tag(string(in.text[s.Offset():s.Pos()])))
	}
	if strings.EqualFold(*of, "Opcional") {
		in.entry.addTo(in.mask)
		in.entry = opcional{}
	}
	in.endDocument()
	return true
}

// endDocument remembers the document that was read.
func (in *inXML) endDocument() {
	if in.document.Len() > 0 {
		in.mask.add(in.document.String())
		in.document.Reset()
	}
}

// startTag is tag for a start tag, within an element of this name. Entities in an attribute may spell a document, and
// an attribute may be one: then all attributes are left out.
func (m *Mask) startTag(raw, within string, s *xmlscan.Scanner) string {
	personal := m.isPersonal(within) || m.isPersonal(string(s.Local()))
	for _, a := range s.Attrs() {
		value := string(a.AppendValue(nil))
		if personal && !saysNothing(string(a.Local), value) || m.isPersonal(string(a.Local)) || strings.Contains(raw, "&") && m.Text(value) != value {
			end := ">"
			if strings.HasSuffix(raw, "/>") {
				end = "/>"
			}
			return m.plain(strings.TrimSuffix(strings.Fields(raw)[0], "/")) + " " + Hidden + end
		}
	}
	return m.tag(raw)
}

// tag returns a tag as it is shown.
func (m *Mask) tag(raw string) string {
	switch {
	case m.Empty() || !strings.ContainsAny(raw, "=0123456789"):
		return raw
	case !strings.Contains(raw, "="):
		return m.plain(raw)
	}
	return m.Text(raw)
}

// saysNothing reports whether an attribute only says whether there is a value.
func saysNothing(name, value string) bool {
	return name == "nil" && (value == "true" || value == "false" || value == "1" || value == "0")
}
