package mask

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

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
