package mask

import (
	"strings"

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
	var document strings.Builder
	var o opcional
	_ = scan(text, func(kind xmlscan.Kind, name string, s *xmlscan.Scanner) {
		switch {
		case kind == xmlscan.Text:
			o.set(name, string(s.Text(nil)))
		case kind == xmlscan.End && strings.EqualFold(name, "Opcional"):
			o.addTo(m)
			o = opcional{}
		case kind == xmlscan.Start:
			m.collectAttributes(name, s)
		}
		switch {
		case strings.EqualFold(name, member) && kind == xmlscan.Text:
			document.Write(s.Text(nil))
		case document.Len() > 0:
			m.add(document.String())
			document.Reset()
		}
	}) // what was read up to an error counts
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
	var b strings.Builder
	done := 0
	err = scan(text, func(kind xmlscan.Kind, name string, s *xmlscan.Scanner) {
		from, to := s.Offset(), s.Pos()
		b.WriteString(m.Text(string(text[done:from]))) // comments and instructions
		raw := string(text[from:to])
		done = to
		switch {
		case kind != xmlscan.Text:
			b.WriteString(m.tag(raw, name, kind == xmlscan.Start, s))
		case m.isPersonal(name):
			b.WriteString(m.document(raw, s))
		case m.isOwn(name, string(s.Text(nil)), true):
			b.WriteString(raw)
		default:
			b.WriteString(m.element(raw, s))
		}
	})
	if err != nil {
		return "", false
	}
	b.WriteString(m.Text(string(text[done:])))
	return b.String(), true
}

// document returns the text to show in place of a document.
func (m *Mask) document(raw string, s *xmlscan.Scanner) string {
	if text := strings.TrimSpace(string(s.Text(nil))); strings.HasPrefix(text, fingermark) || strings.Trim(text, "0") == "" {
		return raw
	}
	return Hidden
}

// element returns the text of another element, whose entities may spell a document.
func (m *Mask) element(raw string, s *xmlscan.Scanner) string {
	text := string(s.Text(nil))
	if hidden := m.Text(text); hidden != text {
		return string(xmlscan.AppendText(nil, hidden))
	}
	return raw
}

// tag returns a tag, within an element of this name. Entities in an attribute may spell a document, and an attribute
// may be one: then all attributes are left out.
func (m *Mask) tag(raw, within string, start bool, s *xmlscan.Scanner) string {
	if !strings.ContainsAny(raw, "=0123456789") {
		return raw
	}
	if start {
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
	}
	if m.Empty() {
		return raw
	}
	if !strings.Contains(raw, "=") {
		return m.plain(raw)
	}
	return m.Text(raw)
}

// saysNothing reports whether an attribute only says whether there is a value.
func saysNothing(name, value string) bool {
	return name == "nil" && (value == "true" || value == "false" || value == "1" || value == "0")
}

// scan calls do for each token, with the name of the element that it stands in.
func scan(text []byte, do func(kind xmlscan.Kind, name string, s *xmlscan.Scanner)) error {
	var s xmlscan.Scanner
	s.Reset(text, nil)
	var open []string
	for {
		kind, err := s.Next()
		if err != nil {
			return err
		}
		name := ""
		if len(open) > 0 {
			name = open[len(open)-1]
		}
		switch kind {
		case xmlscan.EOF:
			return nil
		case xmlscan.Start:
			next := string(s.Local())
			if strings.EqualFold(name, member) || strings.EqualFold(name, valor) {
				next = name // all that stands within a document has its name
			}
			open = append(open, next)
		case xmlscan.End:
			open = open[:max(len(open)-1, 0)]
		}
		do(kind, name, &s)
	}
}
