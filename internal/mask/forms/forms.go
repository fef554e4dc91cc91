package forms

import "bytes"

// The one list of the forms in which a text may quote another, whole or in part:
//
//   - as it is, in letters of any case, with anything but letters and digits between its own;
//   - with escapes: percent (also %u0041, and + for a blank), entities of XML and HTML (decimal, hexadecimal, named, with
//     leading zeros, without a semicolon), backslashes (\/ \n \x41 \u0041 \u{41} \U00000041 \101),
//     JSON Pointer escapes, quoted-printable, code points (U+0041), letters of full width;
//   - in hexadecimal, with separators, 0x or h between the bytes, and as a list of decimal or octal numbers;
//   - in base64, of either alphabet, folded or not, with or without padding, wherever in a group of
//     three bytes or four letters it begins, also with punctuation between, except for letters of
//     the alphabet;
//   - in base32, folded by lines or not;
//   - in UTF-16 or UTF-32, of either order of bytes;
//   - and in any of these forms within each other.
//
// Compressed, encrypted or reversed text is none of them, and no dump of memory in words or with offsets between.

// MinRun is how much of another text counts, in characters.
const MinRun = 12

const (
	// minHexDigits, minBase64 and minBase32 are the lengths from which a text may be another in hexadecimal, in
	// base64 or in base32: as much as MinRun bytes take.
	minHexDigits = 2 * MinRun
	minBase64    = 4 * MinRun / 3
	minBase32    = 8 * MinRun / 5
	// maxEscaped is how often a text may be escaped, and maxWrapped how many forms of binary text may
	// stand around each other.
	maxEscaped = 10
	maxWrapped = 6
	// maxEffort bounds the bytes that are read for a text, in multiples of its length. leastEffort
	// comes on top.
	maxEffort, leastEffort = 64, 8192
)

// In reports whether in holds for a text, or for some text that is written in it in another form.
// It is false for certain of a text without any of these forms for which in does not hold. A text that is
// escaped or wrapped more often than programs do counts as held. It takes a time that is linear in the length.
func In(text []byte, in func(form []byte) bool) bool {
	var f Search
	return f.In(text, in)
}

// Search looks through the forms of a text. It is used again for the memory that it has, by one goroutine.
type Search struct {
	in   func([]byte) bool
	left int
	// spaced: pluses are blanks, as in the query of a URL.
	spaced bool
	// wrapped has the memory for the text of each depth, digits that for what was taken out of a text.
	wrapped [maxWrapped][]byte
	digits  [maxWrapped][]byte
}

// In is the function In.
func (f *Search) In(text []byte, in func(form []byte) bool) bool {
	f.in, f.left, f.spaced = in, maxEffort*len(text)+leastEffort, false
	return f.within(text, 0, true)
}

// within looks at a text that so many forms of binary text were around. certain: it is no other thing that
// only looks like such a form, as all words do.
func (f *Search) within(text []byte, depth int, certain bool) bool {
	if depth > 0 && !hasText(text) {
		return certain && f.in(text)
	}
	if f.left -= len(text); f.left < 0 || f.in(text) {
		return true
	}
	if depth == maxWrapped {
		return false
	}
	if f.wrapsIn(text, depth) {
		return true
	}
	found, folded := f.escapedIn(text, depth, false)
	if !found && folded {
		found, _ = f.escapedIn(text, depth, true)
	}
	if !found && !f.spaced && isFolded(text) {
		f.spaced = true
		found = f.within(bytes.ReplaceAll(text, []byte("+"), []byte(" ")), depth, certain)
		f.spaced = false
	}
	return found
}

// hasText reports whether as much text stands in what was decoded as is looked for, of whatever encoding.
// What was no form of a text has none.
func hasText(decoded []byte) bool {
	run := 0
	for _, b := range decoded {
		if run++; b-' ' > '~'-' ' && b != 0 && b-'\t' > '\r'-'\t' {
			run = 0
		}
		if run == MinRun {
			return true
		}
	}
	return false
}

// foldedGaps is how many equal distances between pluses tell that these are blanks: in base64, where they
// are letters, so many seldom follow each other.
const foldedGaps = 3

// isFolded reports whether pluses stand in a text as blanks that fold it.
func isFolded(text []byte) bool {
	for at, last, equal := bytes.IndexByte(text, '+'), 0, 0; at >= 0; {
		next := bytes.IndexByte(text[at+1:], '+')
		if equal++; next != last {
			last, equal = next, 1
		}
		if next < 0 {
			break
		}
		if equal == foldedGaps {
			return true
		}
		at += next + 1
	}
	return false
}
