package mask

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// Hidden stands for what is hidden.
const Hidden = "•••"

// member is the member that holds a document.
const member = "DocNro"

// The lengths of what is looked for in texts. A document of fewer digits than minAlone cannot be told from
// other numbers, and one of fewer than minWithin is hidden where it stands alone: it is a part of many. A
// longer one than maxLooked is cut: a text that repeats as much repeats the document.
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

// cut bounds a text to what is looked for.
func cut(text string) string {
	for i := range text {
		if i > maxLooked {
			return text[:i]
		}
	}
	return text
}

// Empty reports whether there is nothing to hide.
func (m *Mask) Empty() bool { return m == nil || len(m.numbers)+len(m.words) == 0 }

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

// Text returns a text with Hidden in place of each document that it repeats.
func (m *Mask) Text(text string) string {
	if m.Empty() || text == "" {
		return text
	}
	if m.tooMany {
		return Hidden
	}
	for _, word := range m.words {
		text = hideWord(text, word)
	}
	return m.hideNumbers(text)
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

// hideNumbers replaces the documents of digits, whatever separates the digits.
func (m *Mask) hideNumbers(text string) string {
	if len(m.numbers) == 0 {
		return text
	}
	var b strings.Builder
	for text != "" {
		from := strings.IndexFunc(text, unicode.IsDigit)
		if from < 0 {
			break
		}
		run := runOf(text[from:])
		b.WriteString(text[:from])
		b.WriteString(m.hideInRun(text[from : from+run]))
		text = text[from+run:]
	}
	b.WriteString(text)
	return b.String()
}

// separators may stand between the digits of a document, one at a time.
const separators = "-.,/ _'\u00a0\u202f\u2009\u2010\u2011\u2013"

// runOf returns the length of the digits that a text begins with, single separators included.
func runOf(text string) (end int) {
	separated := false
	for i, r := range text {
		switch {
		case unicode.IsDigit(r):
			end, separated = i+utf8.RuneLen(r), false
		case separated || !strings.ContainsRune(separators, r):
			return end
		default:
			separated = true
		}
	}
	return end
}

// hideInRun replaces the documents within digits and separators.
func (m *Mask) hideInRun(run string) string {
	var digits []byte
	var places []int // of each digit in run
	for i, r := range run {
		if d, ok := digitOf(r); ok {
			digits, places = append(digits, d), append(places, i)
		}
	}
	places = append(places, len(run))
	var b strings.Builder
	done := 0
	for i := 0; i < len(digits); {
		n := m.longestAt(digits, places, i)
		if n == 0 {
			i++
			continue
		}
		b.WriteString(run[done:places[i]] + Hidden)
		_, size := utf8.DecodeRuneInString(run[places[i+n-1]:])
		done = places[i+n-1] + size
		i += n
	}
	return b.String() + run[done:]
}

// longestAt returns how many digits the longest document at a place has, 0 for none.
func (m *Mask) longestAt(digits []byte, places []int, at int) (longest int) {
	for _, n := range m.lengths {
		if n <= longest || n < m.least || at+n > len(digits) || !m.numbers[string(digits[at:at+n])] {
			continue
		}
		if n < minWithin && !standsAlone(places, at, n) {
			continue
		}
		longest = n
	}
	if longest > 0 && m.isIssuer(digits, at, longest) {
		return 0
	}
	return longest
}

// isIssuer reports whether the digits are a part of the issuer's CUIT.
func (m *Mask) isIssuer(digits []byte, at, n int) bool {
	if m.issuer == "" {
		return false
	}
	for from := max(0, at+n-len(m.issuer)); from <= at && from+len(m.issuer) <= len(digits); from++ {
		if string(digits[from:from+len(m.issuer)]) == m.issuer {
			return true
		}
	}
	return false
}

// standsAlone reports whether no digit is next to some digits of a run.
func standsAlone(places []int, at, n int) bool {
	before := at == 0 || places[at]-places[at-1] > 1
	last := at + n - 1
	after := last+1 == len(places)-1 || places[last+1]-places[last] > 1
	return before && after && places[last]-places[at] == n-1
}

// digitsOf returns the digits of a text, up to an exponent.
func digitsOf(text string) string {
	if at := strings.IndexAny(text, "eE"); at > 0 {
		text = text[:at]
	}
	var b strings.Builder
	for _, r := range text {
		if d, ok := digitOf(r); ok {
			b.WriteByte(d)
		}
	}
	return b.String()
}

// digitOf returns a digit in ASCII. Other scripts have digits too, in blocks of ten.
func digitOf(r rune) (byte, bool) {
	if r >= '0' && r <= '9' {
		return byte(r), true
	}
	if !unicode.IsDigit(r) {
		return 0, false
	}
	zero := r
	for range 9 {
		if !unicode.IsDigit(zero - 1) {
			break
		}
		zero--
	}
	return byte('0' + (r - zero)), true
}
