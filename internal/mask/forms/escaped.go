package forms

import (
	"bytes"
	"html"
	"regexp"
	"strings"
	"unicode/utf8"
)

// escapedIn looks at what a text is without its escapes, and reports whether blanks stood among these.
// compact: they are left out, as an escape may be folded like any text.
func (f *Search) escapedIn(text []byte, depth int, compact bool) (found, folded bool) {
	for escaped := 0; hasEscapes(text); escaped++ {
		if bytes.ContainsAny(text, " \t\r\n") {
			folded = true
			if compact {
				text = withoutBlanks(soft.ReplaceAll(text, nil))
			}
		}
		plain, more := unescaped(text, false)
		if !more && bytes.ContainsAny(text, "&\\") {
			plain, more = unescaped(text, true)
		}
		if !more {
			return false, folded
		}
		if escaped == maxEscaped {
			return true, folded
		}
		text = plain
		if f.left -= len(text); f.left < 0 || f.in(text) || f.wrapsIn(text, depth) {
			return true, folded
		}
	}
	return false, folded
}

// hasEscapes reports whether there may be escapes in a text.
func hasEscapes(text []byte) bool {
	for i, b := range text {
		switch escapes[b] {
		case 0:
			continue
		case '=':
			if i+1 < len(text) && (text[i+1] <= ' ' || text[i+1] == '?' || hexValues[text[i+1]] != none) {
				return true
			}
		case unwritable[0]:
			if bytes.HasPrefix(text[i:], unwritable) || isWide(text[i:]) {
				return true
			}
		case 'u', 'U':
			if i+1 < len(text) && text[i+1] == '+' {
				return true
			}
		case '~':
			if i+1 < len(text) && text[i+1]-'0' < 2 {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// soft are the breaks of lines that quoted-printable adds, and what stands between two encoded words of a header.
var soft = regexp.MustCompile(`=[ \t]*\r?\n|\?=[ +\t\r\n]*=\?[\w-]{1,40}\?[bBqQ]\?`)

// quotedWord begins an encoded word of a header in quoted-printable.
var quotedWord = regexp.MustCompile(`=\?[\w-]{1,40}\?[qQ]\?`)

// escaping are the characters that escapes begin with, and the one that UTF-16 adds.
const escaping = "%&\\=~\x00uU\xef"

var escapes = func() (table [256]byte) {
	for _, b := range []byte(escaping) {
		table[b] = b
	}
	table[0], table[unwritable[0]] = '0', unwritable[0]
	return table
}()

// fullWidth begins the letters of full width: ASCII, as wide as Chinese.
const fullWidth = 0xef

// isWide reports whether a text begins with one of these.
func isWide(text []byte) bool {
	r, _ := utf8.DecodeRune(text)
	return r >= '！' && r <= '～'
}

// unwritable stands for a character that XML cannot hold, such as those that UTF-16 adds.
var unwritable = []byte("\ufffd")

// withoutBlanks returns a text without its white space.
func withoutBlanks(text []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if r <= ' ' && r > 0 {
			return -1
		}
		return r
	}, text)
}

// unescaped returns a text with what each escape in it stands for, once, and whether there was any. lenient:
// also of those that end where nothing says so, and may have been broken in two by a form around them.
func unescaped(text []byte, lenient bool) (plain []byte, any bool) {
	if bytes.IndexByte(text, 0) >= 0 || bytes.Contains(text, unwritable) { // of UTF-16, in which escapes may be written
		return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte{0}, nil), unwritable, nil), true
	}
	begins := escaping
	quoted := quotedWord.Match(text)
	if quoted { // in which a low line is a blank
		text = bytes.ReplaceAll(text, []byte("_"), []byte(" "))
	}
	if quoted || soft.Match(text) { // other escapes may be folded
		text, any, begins = quotedWord.ReplaceAll(soft.ReplaceAll(text, nil), nil), true, "="
	}
	plain = make([]byte, 0, len(text))
	for at := 0; at < len(text); {
		n := 0
		if strings.IndexByte(begins, text[at]) >= 0 {
			plain, n = appendEscaped(plain, text[at:], lenient)
		}
		if any = any || n > 0; n == 0 {
			plain = append(plain, text[at])
			n = 1
		}
		at += n
	}
	return plain, any
}

// appendEscaped decodes the escape that a text begins with, appends the result and returns the
// escape's length, 0 if there is none.
func appendEscaped(out, text []byte, lenient bool) ([]byte, int) {
	if len(text) < 2 {
		return out, 0
	}
	next := text[1]
	switch {
	case text[0] == '&':
		return appendEntity(out, text, lenient)
	case text[0] == '~': // of a JSON Pointer
		if next != '0' && next != '1' {
			return out, 0
		}
		return append(out, "~/"[next-'0']), 2
	case text[0] == '\\':
		return appendBackslashed(out, text, next, lenient)
	case text[0] == '%' && next|0x20 == 'u':
		return appendCode(out, text, 2, 4, 4)
	case text[0] == fullWidth:
		if !isWide(text) {
			return out, 0
		}
		r, n := utf8.DecodeRune(text)
		return append(out, byte(r-'！'+'!')), n
	case text[0]|0x20 == 'u':
		if next != '+' {
			return out, 0
		}
		out, n := appendCode(out, text, 2, 4, 6)
		if n > 0 && n < len(text) && text[n] == ' ' { // it ends the code point; a blank itself is U+0020
			n++
		}
		return out, n
	}
	return appendCode(out, text, 1, 2, 2)
}

// maxEntity is the length of the longest name of an entity, with the ampersand and the semicolon.
const maxEntity = len("&CounterClockwiseContourIntegral;")

// appendEntity is appendEscaped for an entity, which need not have a semicolon if it is a number.
func appendEntity(out, text []byte, lenient bool) ([]byte, int) {
	if text[1] != '#' {
		end := bytes.IndexByte(text[:min(len(text), maxEntity)], ';') + 1
		if end == 0 && lenient && bytes.HasPrefix(text, []byte("&amp")) {
			return append(out, '&'), len("&amp")
		}
		name := string(text[:end])
		plain := html.UnescapeString(name)
		if plain == name {
			return out, 0
		}
		return append(out, plain...), end
	}
	var code, base uint32 = 0, 10
	at := 2
	if at < len(text) && text[at]|0x20 == 'x' {
		base, at = 16, 3
	}
	from := at
	for at < len(text) && uint32(hexValues[text[at]]) < base {
		code = min(code*base+uint32(hexValues[text[at]]), utf8.MaxRune)
		at++
	}
	ended := at < len(text) && text[at] == ';'
	if at == from || !ended && !lenient {
		return out, 0
	}
	if ended {
		at++
	}
	return utf8.AppendRune(out, rune(code)), at
}

// appendBackslashed is appendEscaped for a backslash. The next character is taken as it is if that means
// nothing else.
func appendBackslashed(out, text []byte, next byte, lenient bool) ([]byte, int) {
	n := 0
	switch {
	case next == 'u' && len(text) > 2 && text[2] == '{':
		if out, n = appendCode(out, text, 3, 1, 8); n > 0 && n < len(text) && text[n] == '}' {
			n++
		}
	case next == 'x':
		out, n = appendCode(out, text, 2, 2, 2)
	case next == 'u':
		out, n = appendCode(out, text, 2, 4, 4)
	case next == 'U':
		out, n = appendCode(out, text, 2, 8, 8)
	case next-'0' < 8:
		code := 0
		for n = 1; n < min(len(text), 4) && text[n]-'0' < 8; n++ {
			code = code<<3 | int(text[n]-'0')
		}
		if n < 4 && !lenient {
			return out, 0
		}
		return append(out, byte(code)), n
	case next == 'n' || next == 'r' || next == 't':
		return append(out, ' '), 2
	}
	if n == 0 && (lenient || next|0x20 != 'u' && next != 'x') {
		return append(out, next), 2
	}
	return out, n
}

// appendCode appends the character whose code stands at a place of the text, in at least and at most so many
// hexadecimal digits, and returns where they end; 0 if there is none. Two digits are a byte.
func appendCode(out, text []byte, at, least, most int) ([]byte, int) {
	var code uint32
	end := at
	for end < min(len(text), at+most) && hexValues[text[end]] != none {
		code = code<<4 | uint32(hexValues[text[end]])
		end++
	}
	switch {
	case end-at < least:
		return out, 0
	case most == 2:
		return append(out, byte(code)), end
	}
	return utf8.AppendRune(out, rune(min(code, utf8.MaxRune))), end
}
