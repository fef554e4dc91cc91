package xmlscan

import "unicode/utf8"

// AppendText appends a text as the content of an element: only <, > and & are escaped. What no XML
// document can hold, bytes that are not UTF-8 and control characters, becomes U+FFFD. A carriage
// return is escaped, because a reader would take it for the end of a line.
func AppendText(b []byte, text string) []byte {
	start := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= ' ' && c < utf8.RuneSelf && c != '<' && c != '>' && c != '&' {
			i++
			continue
		}
		replaced, size := escape(text[i:])
		if replaced != "" {
			b = append(append(b, text[start:i]...), replaced...)
			start = i + size
		}
		i += size
	}
	return append(b, text[start:]...)
}

// escape returns what stands for the character with which text begins, no text where that is the
// character itself.
func escape(text string) (replaced string, size int) {
	switch text[0] {
	case '<':
		return "&lt;", 1
	case '>':
		return "&gt;", 1
	case '&':
		return "&amp;", 1
	case '\r':
		return "&#xD;", 1
	case '\n', '\t':
		return "", 1
	}
	r, size := utf8.DecodeRuneInString(text)
	if r < ' ' || r == utf8.RuneError && size == 1 || r == 0xFFFE || r == 0xFFFF {
		return "\uFFFD", size
	}
	return "", size
}

// Representable reports whether XML can hold a text as it is.
func Representable(text string) bool {
	for i := 0; i < len(text); {
		replaced, size := escape(text[i:])
		if replaced == "\uFFFD" {
			return false
		}
		i += size
	}
	return true
}
