package mask

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/wsfev1"
)

// numeric are the members of the interface that are numbers by nature: one that equals a document does
// so by chance. codes are texts of digits, of which the same holds.
var numeric, codes = func() (numbers, texts map[string]bool) {
	numbers, texts = map[string]bool{}, map[string]bool{"CAE": true, "CAEA": true, "CodAutorizacion": true}
	seen := map[*wsfev1.Shape]bool{}
	var walk func(*wsfev1.Shape)
	walk = func(s *wsfev1.Shape) {
		if s == nil || seen[s] {
			return
		}
		seen[s] = true
		walk(s.Item)
		for _, m := range s.Members {
			if m.Name != member && m.Shape.Kind != wsfev1.KindText {
				numbers[m.Name] = true
			}
			if m.Shape.Type != nil && (m.Shape.Type.Name() == "Date" || m.Shape.Type.Name() == "Timestamp") {
				texts[m.Name] = true
			}
			walk(m.Shape)
		}
	}
	for _, op := range wsfev1.Operations {
		walk(op.Request)
		walk(op.Answer)
	}
	delete(numbers, "Code") // it is of few digits, and is shown wherever a message is
	return numbers, texts
}()

// loose reads any JSON.
var loose = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// Collect remembers the documents in a body.
func (m *Mask) Collect(body []byte) {
	if m == nil {
		return
	}
	var o opcional
	done := 0
	_ = walk(body, func(name string, value jsontext.Value, from int) {
		if bytes.ContainsAny(body[done:from], "{}") { // between two scalars there are no texts
			o = opcional{}
		}
		done = from + len(value)
		if name != "" {
			o.set(name, textOf(value))
			o.addTo(m)
		}
		if kind := value.Kind(); strings.EqualFold(name, member) && (kind == '"' || kind == '0') {
			m.add(textOf(value))
		}
	}) // what was read up to an error counts
}

// JSON returns a body with Hidden in place of the documents, and all other bytes as they were. It returns
// false for a body that is not JSON, which must not be shown.
func (m *Mask) JSON(body []byte) ([]byte, bool) {
	if m == nil || len(body) == 0 {
		return body, true
	}
	made := bytes.NewBuffer(make([]byte, 0, len(body)))
	done := 0
	err := walk(body, func(name string, value jsontext.Value, from int) {
		if shown, changed := m.value(name, value); changed {
			made.Write(body[done:from])
			made.WriteString(shown)
			done = from + len(value)
		}
	})
	if err != nil {
		return nil, false
	}
	made.Write(body[done:])
	return made.Bytes(), true
}

// value returns the text to show in place of a member's value, and reports whether that is another one.
// With an empty name, the value is itself the name of a member.
func (m *Mask) value(name string, value jsontext.Value) (string, bool) {
	text := textOf(value)
	switch kind := value.Kind(); {
	case m.isPersonal(name):
		if strings.HasPrefix(text, fingermark) || strings.Trim(text, "0") == "" || kind != '"' && kind != '0' {
			return "", false // hidden for ever, or nobody
		}
		return quoted(Hidden), true
	case m.isOwn(name, text, kind == '0'), strings.HasPrefix(text, fingermark):
		return "", false
	case kind != '"' && kind != '0':
		return "", false
	}
	if hidden := m.Text(text); hidden != text {
		return quoted(hidden), true
	}
	return "", false
}

// isPersonal reports whether all that stands in a member of this name, or below it, is hidden. In a malformed
// request nothing says which Opcional a value belongs to.
func (m *Mask) isPersonal(name string) bool {
	return strings.EqualFold(name, member) || m.malformed && strings.EqualFold(name, valor)
}

// isOwn reports whether a member has what it has by nature: a number or a code, which equals a document by chance. In
// a malformed request it may be a document, but for a date and a CAE.
func (m *Mask) isOwn(name, text string, number bool) bool {
	switch {
	case codes[name]:
		return !m.numbers[digitsOf(text)] && (!m.malformed || wsfev1.Date(text).Valid() || isCode(text) && len(text) > cuitDigits)
	case m.malformed:
		return false
	}
	return number && numeric[name]
}

// level is an open object or list, with the member that it is the value of, and the member that is read.
type level struct{ of, at string }

// walk calls do for each scalar and each name, with its place in the body and the name of its member. For a
// name, that name is empty. All values within a document have the document's name.
func walk(body []byte, do func(name string, value jsontext.Value, from int)) error {
	d := jsontext.NewDecoder(bytes.NewReader(body), loose...)
	open := []level{{}}
	for {
		in := &open[len(open)-1]
		switch d.PeekKind() {
		case '{', '[':
			open = append(open, level{in.at, in.at})
		case '}', ']':
			open = open[:max(len(open)-1, 1)]
		default:
			value, err := d.ReadValue()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			from := int(d.InputOffset()) - len(value)
			within := strings.EqualFold(in.of, member) || strings.EqualFold(in.of, valor)
			if outer, n := d.StackIndex(d.StackDepth()); outer != '{' || n%2 == 0 || within {
				do(in.at, value, from)
				continue
			}
			do("", value, from)
			in.at = textOf(value)
			continue
		}
		if _, err := d.ReadToken(); err != nil {
			return err
		}
	}
}

// textOf returns the text of a scalar, or its JSON.
func textOf(value jsontext.Value) string {
	if value.Kind() == '"' {
		if text, err := jsontext.AppendUnquote(nil, value); err == nil || len(text) > 0 {
			return string(text)
		}
	}
	return string(value)
}

// quoted returns a text as JSON.
func quoted(text string) string {
	made, _ := jsontext.AppendQuote(nil, text) // bytes that are no UTF-8 become U+FFFD
	return string(made)
}
