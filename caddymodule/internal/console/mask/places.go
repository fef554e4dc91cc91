package mask

import (
	"strings"

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

// shown returns a text as it is shown in a place, which is the name of its member or element, and reports whether
// that is another text. number: it is one, or may be.
func (m *Mask) shown(place, text string, number bool) (string, bool) {
	switch {
	case m.isPersonal(place): // but for a text that is hidden for ever, or nobody
		return Hidden, !strings.HasPrefix(text, fingermark) && strings.Trim(text, "0") != ""
	case m.isOwn(place, text, number):
		return text, false
	}
	hidden := m.Text(text)
	return hidden, hidden != text
}

// holdsAll reports whether all that stands in a place, also names and what they name, is of that place.
func holdsAll(place string) bool {
	return strings.EqualFold(place, member) || strings.EqualFold(place, valor)
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
