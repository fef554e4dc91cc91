package soap

import "unicode/utf8"

// appendText appends a text as the service writes it: only <, > and & are escaped. What no XML
// document can hold, bytes that are not UTF-8 and control characters, becomes U+FFFD. A carriage
// return is escaped, because a reader would take it for the end of a line.
func appendText(b []byte, text string) []byte {
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

// representable reports whether XML can hold a text as it is.
func representable(text string) bool {
	for i := 0; i < len(text); {
		replaced, size := escape(text[i:])
		if replaced == "\uFFFD" {
			return false
		}
		i += size
	}
	return true
}

// appendElement appends an element of text.
func appendElement(b []byte, name, text string) []byte {
	if text == "" {
		return append(append(append(b, '<'), name...), " />"...)
	}
	b = append(append(append(b, '<'), name...), '>')
	b = appendText(b, text)
	return append(append(append(b, "</"...), name...), '>')
}
