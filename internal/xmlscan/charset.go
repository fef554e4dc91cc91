package xmlscan

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Encoding is how the characters of a body are written.
type Encoding uint8

// The encodings that are read.
const (
	UTF8 Encoding = iota
	Latin1
	Windows1252
	UTF16BE
	UTF16LE
)

var bom = []byte("\xEF\xBB\xBF")

// String returns the encoding's name as a media type has it.
func (e Encoding) String() string {
	switch e {
	case Latin1:
		return "iso-8859-1"
	case Windows1252:
		return "windows-1252"
	case UTF16BE, UTF16LE:
		return "utf-16" // a byte order mark says which, or the declaration
	}
	return "utf-8"
}

// Decode returns a body in UTF-8, and how it was written. The body itself is returned where it is
// in UTF-8: whether it is valid is for the Scanner to find.
//
// A byte order mark decides, then the XML declaration, then charset, the parameter of the media
// type; otherwise the body is in UTF-8. A mark that contradicts the declaration is an error. A
// declaration of UTF-16 in front of single bytes counts for nothing: programs write texts of
// UTF-16 with their declaration into files of another encoding.
func Decode(body []byte, charset string) ([]byte, Encoding, error) {
	encoding, err := encodingOf(body, charset)
	if err != nil {
		return nil, UTF8, err
	}
	switch encoding {
	case Latin1, Windows1252:
		return decodeBytes(body, encoding), encoding, nil
	case UTF16BE, UTF16LE:
		text, err := decodeUTF16(body, encoding)
		if err != nil {
			return nil, encoding, err
		}
		return text, encoding, nil
	}
	return body, UTF8, nil
}

func encodingOf(body []byte, charset string) (Encoding, *Error) {
	unknown := &Error{Reason: Charset, text: "the encoding is not supported"}
	switch {
	case bytes.HasPrefix(body, []byte("\xFE\xFF")), bytes.HasPrefix(body, []byte("\x00<")):
		return UTF16BE, nil
	case bytes.HasPrefix(body, []byte("\xFF\xFE")), bytes.HasPrefix(body, []byte("<\x00")):
		return UTF16LE, nil
	}
	declared := ""
	text, marked := bytes.CutPrefix(body, bom)
	if end := bytes.Index(text[:min(len(text), maxDeclaration)], []byte("?>")); end > 0 && bytes.HasPrefix(text, []byte("<?xml")) {
		d, _ := readDeclaration(text[len("<?xml"):end])
		declared = d.encoding
	}
	encoding, wide, ok := encodingNamed(declared)
	switch {
	case !ok:
		return UTF8, unknown
	case declared != "" && !wide:
		if marked && encoding != UTF8 {
			return UTF8, &Error{Reason: Bytes, text: "the byte order mark contradicts the declaration"}
		}
		return encoding, nil
	case marked:
		return UTF8, nil
	}
	encoding, wide, ok = encodingNamed(charset)
	switch {
	case !ok:
		return UTF8, unknown
	case wide:
		return UTF8, nil
	}
	return encoding, nil
}

// maxDeclaration bounds where an XML declaration may end.
const maxDeclaration = 256

// encodingNamed returns the encoding of a name. It reports wide for encodings of two bytes, which
// the first bytes of a body show better than a name.
func encodingNamed(name string) (encoding Encoding, wide, ok bool) {
	switch strings.ToLower(strings.Trim(name, `"' `)) {
	case "", "utf-8", "utf8", "us-ascii", "ascii":
		return UTF8, false, true
	case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "l1":
		return Latin1, false, true
	case "windows-1252", "cp1252", "cp-1252", "x-cp1252":
		return Windows1252, false, true
	case "utf-16", "utf16", "utf-16le", "utf-16be", "unicode":
		return UTF8, true, true
	}
	return UTF8, false, false
}

// windows1252 holds the characters of the bytes 0x80 to 0x9F. Five of them have none; they read
// as the control characters of the same number.
var windows1252 = [32]rune{
	'€', 0x81, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0x8D, 'Ž', 0x8F,
	0x90, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0x9D, 'ž', 'Ÿ',
}

func decodeBytes(body []byte, encoding Encoding) []byte {
	longer := 0
	for _, c := range body {
		if c >= utf8.RuneSelf {
			longer++
		}
	}
	text := make([]byte, 0, len(body)+2*longer)
	for _, c := range body {
		r := rune(c)
		if encoding == Windows1252 && c >= 0x80 && c <= 0x9F {
			r = windows1252[c-0x80]
		}
		text = utf8.AppendRune(text, r)
	}
	return text
}

func decodeUTF16(body []byte, encoding Encoding) ([]byte, *Error) {
	unit := binary.BigEndian.Uint16
	if encoding == UTF16LE {
		unit = binary.LittleEndian.Uint16
	}
	text := make([]byte, 0, len(body))
	for i := 0; i < len(body); i += 2 {
		if i+1 == len(body) {
			return nil, &Error{Reason: Bytes, Offset: len(text), text: "half a character at the end"}
		}
		r := rune(unit(body[i:]))
		if utf16.IsSurrogate(r) {
			low := rune(0)
			if i+3 < len(body) {
				low = rune(unit(body[i+2:]))
			}
			if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
				return nil, &Error{Reason: Bytes, Offset: len(text), text: "half of a pair of characters"}
			}
			i += 2
		}
		text = utf8.AppendRune(text, r)
	}
	return text, nil
}

// Places finds positions of a decoded text in the body that it was decoded from. It is asked in
// ascending order, and then reads the text once.
type Places struct {
	text     []byte
	encoding Encoding
	at, body int
}

// NewPlaces returns the places of a text that Decode returned with this encoding.
func NewPlaces(text []byte, encoding Encoding) Places {
	return Places{text: text, encoding: encoding}
}

// At returns the position in the body of a position in the text.
func (p *Places) At(offset int) int {
	if p.encoding == UTF8 {
		return offset
	}
	if offset < p.at {
		p.at, p.body = 0, 0
	}
	for p.at < min(offset, len(p.text)) {
		r, size := utf8.DecodeRune(p.text[p.at:])
		p.at += size
		p.body++
		if p.encoding >= UTF16BE {
			p.body++
			if r > 0xFFFF {
				p.body += 2
			}
		}
	}
	return p.body
}

// Encode returns a text of ASCII in the encoding.
func (e Encoding) Encode(text string) []byte {
	if e < UTF16BE {
		return []byte(text)
	}
	out := make([]byte, 0, 2*len(text))
	for _, c := range []byte(text) {
		if e == UTF16BE {
			out = append(out, 0, c)
		} else {
			out = append(out, c, 0)
		}
	}
	return out
}
