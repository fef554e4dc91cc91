package mask

import (
	"crypto/sha256"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// Mask hides Fields in the record of one exchange. It remembers their values: a text in an answer,
// an error or a finding may repeat the value of a member. It belongs to one exchange
// and is not safe for concurrent use. Without Fields it replaces credentials alone. A nil Mask
// hides nothing in findings, texts and digests.
type Mask struct {
	redactor *Redactor
	fields   *Fields // nil if there are none
	// long are the values that are looked for anywhere in a text, short those that are
	// looked for as a word; both squeezed.
	long  values
	short map[string]bool
	// looked is what looked for credentials last: they are indexed once for all bodies of an exchange.
	looked *Credentials
}

// The lengths from which a value is looked for in texts, in letters and digits. Shorter values
// occur everywhere by chance; a text about a member also has its name, or is a finding about
// it.
const (
	minWord   = 3
	minQuoted = 6
)

// Mask returns a mask for one exchange. There may be no fields.
func (r *Redactor) Mask(f *Fields) *Mask {
	m := &Mask{redactor: r, fields: f}
	if f != nil { // else there is nothing to remember
		m.long.all, m.short = map[string]bool{}, map[string]bool{}
	}
	return m
}

// empty reports whether there are no fields to hide.
func (m *Mask) empty() bool { return m == nil || m.fields == nil }

// echoes returns what looks for credentials.
func (m *Mask) echoes(credentials []string) *Credentials {
	if m.looked == nil || !slices.Equal(m.looked.texts, credentials) {
		m.looked = m.redactor.echoes(credentials)
	}
	return m.looked
}

// Forget drops the credentials that were looked for.
func (m *Mask) Forget() {
	if m != nil {
		m.looked = nil
	}
}

// Text returns the text, or a fingerprint in its place if it quotes a field or names one.
func (m *Mask) Text(text string) string {
	if !m.quotes(text) {
		return text
	}
	return m.redactor.Fingerprint([]byte(text))
}

// Finding returns the finding without what it quotes of a field, and without values that may be
// computed from one. The member that it is about, and its code, stay.
func (m *Mask) Finding(f audit.Finding) audit.Finding {
	if m.empty() {
		return f
	}
	texts := []*string{&f.Text, &f.Expected, &f.Got, &f.Difference}
	hidden := m.fields.covers(f.Pointer)
	for _, text := range texts {
		hidden = hidden || m.quotes(*text)
	}
	for _, text := range texts {
		if hidden && *text != "" {
			*text = m.redactor.Fingerprint([]byte(*text))
		}
	}
	return f
}

// Digest returns a keyed digest in place of a body's own. With the body's own, the few values
// that a field may have could be found by trying.
func (m *Mask) Digest(digest [sha256.Size]byte) [sha256.Size]byte {
	if m.empty() {
		return digest
	}
	return m.redactor.sumOf(digest)
}

func (m *Mask) root() *field {
	if m == nil {
		return nil
	}
	return m.fields.root
}

// everywhere is a member with the name of a field, in a body of no known shape.
var everywhere = &field{hidden: true}

func (m *Mask) member(at *field, name []byte, loose bool) *field {
	switch {
	case m == nil:
		return nil
	case loose && m.fields.names[foldName(string(name))]:
		return everywhere
	}
	return at.of(string(name))
}

// collectValue remembers the scalars of a value.
func (m *Mask) collectValue(raw jsontext.Value) {
	json := jsontext.NewDecoder(strings.NewReader(string(raw)), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		name := false
		if kind, n := json.StackIndex(json.StackDepth()); kind == '{' {
			name = n%2 == 0
		}
		token, err := json.ReadToken()
		if err != nil {
			return // the end: the value was valid
		}
		if kind := token.Kind(); !name && (kind == '"' || kind == '0') {
			m.remember(token.String())
		}
	}
}

func (m *Mask) remember(text string) {
	for _, form := range []string{squeeze(text), squeeze(withoutZeros(text))} {
		switch {
		case len(form) >= minQuoted:
			m.long.add(form)
		case len(form) >= minWord:
			m.short[form] = true
		}
	}
	if d := wsfev1.Date(text); d.Valid() { // findings write 15/11/2026
		m.long.add(text[6:] + text[4:6] + text[:4])
	}
}

// quotes reports whether a text repeats what a field holds or has the name of one.
func (m *Mask) quotes(text string) bool {
	if m.empty() || text == "" {
		return false
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !isWord(r) }) {
		if m.fields.names[foldName(word)] {
			return true
		}
	}
	return m.repeats(text)
}

func (m *Mask) repeats(text string) bool {
	if m == nil || len(m.long.all)+len(m.short) == 0 {
		return false
	}
	squeezed := squeeze(text)
	if len(squeezed) < minWord {
		return false
	}
	if m.long.occurIn(squeezed) {
		return true
	}
	if len(m.short) == 0 {
		return false
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '.' && r != ',' && !isWord(r) }) {
		if word = strings.Trim(word, ".,"); m.short[squeeze(word)] || m.short[squeeze(withoutZeros(withPoint(word)))] {
			return true
		}
		for part := range strings.SplitSeq(word, ",") { // in a list without blanks
			if m.short[squeeze(part)] || m.short[squeeze(withoutZeros(part))] {
				return true
			}
		}
	}
	return false
}

// withPoint returns a decimal as JSON writes it, if findings write it with a comma: 1.234,50.
func withPoint(text string) string {
	whole, decimals, found := strings.Cut(text, ",")
	if !found {
		return text
	}
	return strings.ReplaceAll(whole, ".", "") + "." + decimals
}

// withoutZeros returns a decimal without its trailing zeros.
func withoutZeros(text string) string {
	if !strings.Contains(text, ".") || strings.Trim(text, "-0123456789.") != "" {
		return text
	}
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// squeeze leaves letters and digits, in one case: 20-11111111-2 is 20111111112.
func squeeze(text string) string {
	return strings.Map(func(r rune) rune {
		if !isWord(r) {
			return -1
		}
		return unicode.ToLower(unicode.ToUpper(r))
	}, text)
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
