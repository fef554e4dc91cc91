package mask

import (
	"strings"

	"github.com/fielato/fielato/wsfev1/soap/xmlscan"
)

// CollectXML remembers the documents in a message. charset is that of its media type, empty for none.
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

// XML returns a message in UTF-8 with Hidden in place of the documents. It returns false for what is no
// XML: such a message is not to be shown.
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
			b.WriteString(m.tag(raw, s))
		case strings.EqualFold(name, member):
			b.WriteString(m.document(raw, s))
		case numeric[name], codes[name] && !m.numbers[digitsOf(raw)]:
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

// document returns what is shown in place of the text of a document.
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

// tag returns a tag. Entities in an attribute may spell a document: then the attributes are left out.
func (m *Mask) tag(raw string, s *xmlscan.Scanner) string {
	if m.Empty() || !strings.Contains(raw, "=") {
		return raw
	}
	if strings.Contains(raw, "&") {
		for _, a := range s.Attrs() {
			if value := string(a.AppendValue(nil)); m.Text(value) != value {
				name, _, _ := strings.Cut(raw, " ")
				return name + " " + Hidden + ">"
			}
		}
	}
	return m.Text(raw)
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
			open = append(open, string(s.Local()))
		case xmlscan.End:
			open = open[:max(len(open)-1, 0)]
		}
		do(kind, name, &s)
	}
}
