package xmlscan

import "unicode/utf8"

// The classes of bytes.
const (
	nameStart = 1 << iota // begins a name
	nameByte              // continues a name
	textStop              // must be looked at within text
	quote                 // ends a value
	space                 // white space of XML
)

// class holds the classes of each byte. Bytes of longer characters belong to none: names look at
// the character, and in text only those that begin with 0xEF can be no character of XML.
var class = func() (c [256]uint8) {
	for b := range c {
		switch {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b == '_':
			c[b] = nameStart | nameByte
		case b >= '0' && b <= '9', b == '-', b == '.':
			c[b] = nameByte
		case b == ' ', b == '\t', b == '\n':
			c[b] = space
		case b == '\r':
			c[b] = space | textStop
		case b < ' ':
			c[b] = textStop
		}
	}
	for _, b := range []byte("<&]\xEF") {
		c[b] |= textStop
	}
	c['"'], c['\''] = quote, quote
	return c
}()

// nameRanges are the characters beyond ASCII that may begin a name, and laterRanges those that
// may only continue one.
var (
	nameRanges = [][2]rune{
		{0xC0, 0xD6},
		{0xD8, 0xF6},
		{0xF8, 0x2FF},
		{0x370, 0x37D},
		{0x37F, 0x1FFF},
		{0x200C, 0x200D},
		{0x2070, 0x218F},
		{0x2C00, 0x2FEF},
		{0x3001, 0xD7FF},
		{0xF900, 0xFDCF},
		{0xFDF0, 0xFFFD},
		{0x10000, 0xEFFFF},
	}
	laterRanges = [][2]rune{{0xB7, 0xB7}, {0x300, 0x36F}, {0x203F, 0x2040}}
)

func within(r rune, ranges [][2]rune) bool {
	for _, bounds := range ranges {
		if r >= bounds[0] && r <= bounds[1] {
			return true
		}
	}
	return false
}

// ncName returns where the name without a colon that begins at i ends; i where there is none.
func ncName(data []byte, i int) int {
	start := i
	for i < len(data) {
		c := data[i]
		if c < utf8.RuneSelf {
			if class[c]&nameByte == 0 || i == start && class[c]&nameStart == 0 {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(data[i:])
		if !within(r, nameRanges) && (i == start || !within(r, laterRanges)) {
			return i
		}
		i += size
	}
	return i
}

// isChar reports whether XML 1.0 has the character.
func isChar(r rune) bool {
	switch {
	case r < ' ':
		return r == '\t' || r == '\n' || r == '\r'
	case r >= 0xD800 && r <= 0xDFFF, r == 0xFFFE, r == 0xFFFF:
		return false
	}
	return r <= utf8.MaxRune
}

// IsSpace reports whether the text is white space alone, or empty.
func IsSpace(text []byte) bool {
	for _, c := range text {
		if class[c]&space == 0 {
			return false
		}
	}
	return true
}

// TrimSpace cuts the white space of XML from both ends of a text.
func TrimSpace(text []byte) []byte {
	for len(text) > 0 && class[text[0]]&space != 0 {
		text = text[1:]
	}
	for len(text) > 0 && class[text[len(text)-1]]&space != 0 {
		text = text[:len(text)-1]
	}
	return text
}

// IsName reports whether a text is a name without a prefix.
func IsName(text string) bool {
	return text != "" && len(text) <= MaxName && utf8.ValidString(text) && ncName([]byte(text), 0) == len(text)
}
