package mask

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/mask/forms"
	"github.com/fielato/fielato/wsfev1"
)

// Hidden stands for a hidden text.
const Hidden = "•••"

// member is the member that holds a document.
const member = "DocNro"

// The lengths of documents and texts in a search for documents. A document of fewer digits than minAlone
// cannot be told from other numbers, and one of fewer than minWithin is hidden where it stands alone: it is
// a part of many. A longer one than maxLooked is cut: a text that repeats as much repeats the document.
const (
	minAlone   = 4
	minWithin  = 6
	maxLooked  = 64
	maxWords   = 32
	fingermark = "hmac-sha256:"
)

// Mask hides the documents of one exchange. It is for one goroutine.
type Mask struct {
	// numbers are documents of digits alone, by their digits, and lengths the lengths that these have.
	numbers map[string]bool
	lengths []int
	// words are documents of other characters, folded. None should come, but anything may. Where there
	// are more than maxWords, tooMany: all texts are hidden, as to look for each would take too long.
	words   []string
	tooMany bool
	// least is how many digits a document has that is looked for.
	least int
	// issuer is the CUIT that is not hidden in texts.
	issuer string
	// malformed: a request was not of its operation's shape, so that documents may stand anywhere.
	malformed bool
}

// New returns a Mask for an exchange of this issuer, 0 for none.
func New(issuer wsfev1.CUIT) *Mask {
	m := &Mask{numbers: map[string]bool{}, least: minAlone}
	if issuer != 0 {
		m.issuer = issuer.String()
	}
	return m
}

// add remembers a document, as a member holds it.
func (m *Mask) add(document string) {
	document = strings.TrimSpace(document)
	if document == "" || strings.HasPrefix(document, fingermark) {
		return
	}
	if strings.Trim(document, "0123456789+-.,eE \u00a0/_") != "" {
		if word := strings.ToLower(cut(document)); utf8.RuneCountInString(word) > 2 && !slices.Contains(m.words, word) {
			m.tooMany = m.tooMany || len(m.words) == maxWords
			if !m.tooMany {
				m.words = append(m.words, word)
			}
		}
	}
	forms := []string{digitsOf(document)}
	if n, err := wsfev1.ParseAmount(document); err == nil { // 20222222223.0, 2.02e10
		whole, _, _ := strings.Cut(n.Trim().String(), ".")
		forms = append(forms, digitsOf(whole))
	}
	for _, digits := range forms {
		digits = strings.TrimLeft(digits, "0")
		if digits = digits[:min(len(digits), maxLooked)]; digits == "" || digits == m.issuer || m.numbers[digits] {
			continue // 0 is nobody
		}
		m.numbers[digits] = true
		if !slices.Contains(m.lengths, len(digits)) {
			m.lengths = append(m.lengths, len(digits))
		}
	}
}

// cut bounds a text to the length that is searched for.
func cut(text string) string {
	for i := range text {
		if i > maxLooked {
			return text[:i]
		}
	}
	return text
}

// Empty reports whether there is nothing to hide.
func (m *Mask) Empty() bool { return m == nil || !m.malformed && len(m.numbers)+len(m.words) == 0 }

// Finding returns a finding without the documents that it quotes. One about a document quotes it in its
// values, perhaps in part.
func (m *Mask) Finding(f audit.Finding) audit.Finding {
	if m == nil {
		return f
	}
	strict := *m
	if at := strings.LastIndexByte(f.Pointer, '/'); strings.EqualFold(f.Pointer[at+1:], member) {
		strict.least = 1
		if len(m.words) > 0 && f.Text != "" { // a part of a word is not found in a text
			f.Text = Hidden
		}
		if f.Got != "" && !strings.HasPrefix(f.Got, fingermark) {
			f.Got = Hidden
		}
	}
	for _, text := range []*string{&f.Text, &f.Expected, &f.Got, &f.Difference, &f.Pointer} {
		*text = strict.Text(*text)
	}
	return f
}

// Text returns a text with Hidden in place of each document that it repeats, and of each CUIT but the
// issuer's; in an exchange whose request is malformed, of each number that is as long as one. One that repeats a document in another form is hidden as a whole (forms.In).
func (m *Mask) Text(text string) string {
	switch {
	case m == nil || text == "" || strings.HasPrefix(text, fingermark):
		return text
	case m.tooMany:
		return Hidden
	}
	text = m.plain(text)
	as := []byte(text)
	if forms.In(as, func(form []byte) bool { return !bytes.Equal(form, as) && m.plain(string(form)) != string(form) }) {
		return Hidden
	}
	return text
}

// plain is Text for documents as people write them.
func (m *Mask) plain(text string) string {
	for _, word := range m.words {
		text = hideWord(text, word)
	}
	text = m.hideNumbers(text)
	if m.malformed {
		text = m.hideWritten(text)
	}
	return text
}

// hideWord replaces a folded word wherever it stands.
func hideWord(text, word string) string {
	lower := strings.ToLower(text)
	if !strings.Contains(lower, word) {
		return text
	}
	if len(lower) != len(text) {
		return Hidden // letters whose case has another length: where it stands is not known
	}
	var b strings.Builder
	for at := strings.Index(lower, word); at >= 0; at = strings.Index(lower, word) {
		b.WriteString(text[:at] + Hidden)
		text, lower = text[at+len(word):], lower[at+len(word):]
	}
	return b.String() + text
}
