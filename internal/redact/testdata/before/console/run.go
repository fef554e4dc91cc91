package mask

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fielato/fielato/wsfev1"
)

// hideNumbers replaces the documents of digits, whatever separates the digits.
func (m *Mask) hideNumbers(text string) string {
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
	if len(digits) == cuitDigits && isCUIT(digits) && string(digits) != m.issuer {
		return Hidden + run[places[cuitDigits-1]+sizeAt(run, places[cuitDigits-1]):]
	}
	var b strings.Builder
	done := 0
	for i := 0; i < len(digits); {
		n := m.longestAt(digits, places, i)
		if n == 0 {
			i++
			continue
		}
		b.WriteString(run[done:places[i]] + Hidden)
		done = places[i+n-1] + sizeAt(run, places[i+n-1])
		i += n
	}
	return b.String() + run[done:]
}

func sizeAt(text string, at int) int {
	_, size := utf8.DecodeRuneInString(text[at:])
	return size
}

const cuitDigits = 11

// isCUIT reports whether digits are a CUIT, also of one that the exchange has in no DocNro.
func isCUIT(digits []byte) bool {
	n, err := strconv.ParseInt(string(digits), 10, 64)
	return err == nil && wsfev1.CUIT(n).Valid()
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

// written are numbers that may be documents, however people write them. Records have addresses with a slash
// before their number.
var written = regexp.MustCompile(`(^|[^\pN/])(\pN{1,3}(?:\.\pN{3}){2,}|\pN{2}-\pN{7,8}-\pN|\pN{7,})`)

// Numbers returns a text of which nobody knows what it is about, such as what a reader has searched for,
// with Hidden in place of all numbers that are as long as a document.
func (m *Mask) Numbers(text string) string {
	if m == nil {
		return text
	}
	return m.hideWritten(m.Text(text))
}

// hideWritten replaces all numbers that are as long as a document, but for the issuer's CUIT.
func (m *Mask) hideWritten(text string) string {
	return written.ReplaceAllStringFunc(text, func(number string) string {
		digits := digitsOf(number)
		if digits == m.issuer {
			return number
		}
		first, size := utf8.DecodeRuneInString(number)
		if unicode.IsDigit(first) {
			return Hidden
		}
		return number[:size] + Hidden
	})
}
