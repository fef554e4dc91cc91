package forms

// wrapsIn looks at what stands in a text in hexadecimal and in base64.
func (f *Search) wrapsIn(text []byte, depth int) bool {
	if f.left -= len(text); f.left < 0 { // what was decoded and is no text
		return true
	}
	for at := 0; at < len(text); {
		digits, next := hexRun(f.digits[depth][:0], text, at)
		f.digits[depth], at = digits, next
		for shift := 0; shift < 2 && len(digits)-shift >= minHexDigits; shift++ {
			f.wrapped[depth] = fromHex(f.wrapped[depth][:0], digits[shift:])
			if f.within(f.wrapped[depth], depth+1, true) {
				return true
			}
		}
	}
	return f.listedIn(text, depth) || f.radixIn(text, depth, &inBase64) || f.radixIn(text, depth, &inBase32)
}

// listedIn looks at what stands in a text as a list of numbers.
func (f *Search) listedIn(text []byte, depth int) bool {
	for _, base := range []byte{10, 8} {
		for at := 0; at < len(text); {
			listed, next := numberRun(f.wrapped[depth][:0], text, at, base)
			f.wrapped[depth], at = listed, next
			if len(listed) >= MinRun && f.within(listed, depth+1, true) {
				return true
			}
		}
	}
	return false
}

// radix is a base in which bytes are written as letters, in groups of so many.
type radix struct {
	run          func(letters, text []byte, at int) ([]byte, int)
	decode       func(out, letters []byte) []byte
	group, least int
	// ascii bounds the first letter of a group whose first byte is one of ASCII.
	ascii byte
	// groups is how many of them begin in a text that counts, at least.
	groups int
}

var (
	inBase64 = radix{base64Run, fromBase64, 4, minBase64, 0x80 >> 2, MinRun / 3}
	inBase32 = radix{base32Run, fromBase32, 8, minBase32, 0x80 >> 3, MinRun / 5}
)

// radixIn looks at what stands in a text in the letters of base64 or base32, from whichever letter of a group.
func (f *Search) radixIn(text []byte, depth int, r *radix) bool {
	for at := 0; at < len(text); {
		letters, next := r.run(f.digits[depth][:0], text, at)
		f.digits[depth], at = letters, next
		for shift := 0; shift < r.group && len(letters)-shift >= r.least; shift++ {
			if !r.mayHoldText(letters[shift:]) {
				continue
			}
			f.wrapped[depth] = r.decode(f.wrapped[depth][:0], letters[shift:])
			if f.within(f.wrapped[depth], depth+1, false) {
				return true
			}
		}
	}
	return false
}

// mayHoldText reports whether hasText may hold for what letters are decoded to: by the first letters of their
// groups, to spare most words and numbers the decoding.
func (r *radix) mayHoldText(letters []byte) bool {
	run := 0
	for i := 0; i < len(letters); i += r.group {
		if run++; letters[i] >= r.ascii {
			run = 0
		}
		if run == r.groups {
			return true
		}
	}
	return false
}

// maxBetween is how many other characters than white space may stand between two bytes in hexadecimal.
const maxBetween = 3

// hexRun appends the values of the hexadecimal digits that stand in the text from a place on, what may
// stand between them left out, and returns where it ended.
func hexRun(digits, text []byte, at int) ([]byte, int) {
	for at < len(text) && hexValues[text[at]] == none {
		at++
	}
	between, since, word := 0, 0, 0 // others since the last digit, digits since the last x, and since any other
	for ; at < len(text); at++ {
		switch b := text[at]; {
		case hexValues[b] != none:
			digits = append(digits, hexValues[b])
			between, since, word = 0, since+1, word+1
			continue
		case b <= ' ':
		case b|0x20 == 'x': // of 0x, or alone
			if n := len(digits) - 1; n >= 0 && since%2 == 1 && digits[n] == 0 {
				digits = digits[:n]
			}
			since = 0
		case b|0x20 == 'h' && word > 1: // of 50h, or 050h
			if n := len(digits) - word; word%2 == 1 && digits[n] == 0 {
				digits = append(digits[:n], digits[n+1:]...)
			}
		case IsAlphanumeric(b), between == maxBetween:
			return digits, at
		default:
			between++
		}
		word = 0
	}
	return digits, at
}

// numberRun appends the bytes that stand in the text from a place on as a list of numbers of this base, and returns
// where it ended.
func numberRun(out, text []byte, at int, base byte) ([]byte, int) {
	most := 3
	if base == 8 {
		most = len("0377")
	}
	for at < len(text) && text[at]-'0' >= base {
		at++
	}
	for between := 0; at < len(text); {
		b := text[at]
		if b-'0' >= base {
			if between++; IsAlphanumeric(b) || between > maxBetween {
				return out, at
			}
			at++
			continue
		}
		value, from := 0, at
		for ; at < len(text) && text[at]-'0' < base && at-from <= most; at++ {
			value = value*int(base) + int(text[at]-'0')
		}
		if value > 0xff || at-from > most {
			for at < len(text) && text[at]-'0' < base {
				at++
			}
			return out, at
		}
		out = append(out, byte(value))
		between = 0
	}
	return out, at
}

// base64Run does so for the letters of base64, with white space and some punctuation between them.
func base64Run(letters, text []byte, at int) ([]byte, int) {
	for at < len(text) && base64Values[text[at]] == none {
		at++
	}
	for between := 0; at < len(text); at++ {
		switch b := text[at]; {
		case base64Values[b] != none:
			letters = append(letters, base64Values[b])
			between = 0
		case b <= ' ':
		case between == maxBetween:
			return letters, at
		default:
			between++
		}
	}
	return letters, at
}

// base32Run does so for the letters of base32, with breaks of lines between them: with blanks, any words would be
// such letters.
func base32Run(letters, text []byte, at int) ([]byte, int) {
	for at < len(text) && base32Values[text[at]] == none {
		at++
	}
	for ; at < len(text); at++ {
		switch b := text[at]; {
		case base32Values[b] != none:
			letters = append(letters, base32Values[b])
		case b != '\r' && b != '\n':
			return letters, at
		}
	}
	return letters, at
}

// fromBase32 leaves out the last letters, if they are no whole byte.
func fromBase32(out, letters []byte) []byte {
	var bits uint16
	held := 0
	for _, letter := range letters {
		bits = bits<<5 | uint16(letter)
		if held += 5; held >= 8 {
			held -= 8
			out = append(out, byte(bits>>held))
		}
	}
	return out
}

func fromHex(out, digits []byte) []byte {
	for i := 0; i+1 < len(digits); i += 2 {
		out = append(out, digits[i]<<4|digits[i+1])
	}
	return out
}

func fromBase64(out, letters []byte) []byte {
	for ; len(letters) >= 4; letters = letters[4:] {
		a, b, c, d := letters[0], letters[1], letters[2], letters[3]
		out = append(out, a<<2|b>>4, b<<4|c>>2, c<<6|d)
	}
	switch len(letters) {
	case 3:
		out = append(out, letters[0]<<2|letters[1]>>4, letters[1]<<4|letters[2]>>2)
	case 2:
		out = append(out, letters[0]<<2|letters[1]>>4)
	}
	return out
}

// none is the value of a character that is no digit.
const none = 0xff

var hexValues, base64Values, base32Values = func() (hexadecimal, base64, base32 [256]byte) {
	for i := range 256 {
		hexadecimal[i], base64[i], base32[i] = none, none, none
	}
	for i := range byte(26) {
		base32['A'+i], base32['a'+i] = i, i
	}
	for i := range byte(6) {
		base32['2'+i] = 26 + i
	}
	for i, b := range []byte("0123456789abcdef") {
		hexadecimal[b] = byte(i)
	}
	for i, b := range []byte("ABCDEF") {
		hexadecimal[b] = byte(10 + i)
	}
	for i, b := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		base64[b] = byte(i)
	}
	base64['-'], base64['_'] = base64['+'], base64['/']
	return hexadecimal, base64, base32
}()

// IsAlphanumeric reports whether a byte is a letter or a digit of ASCII.
func IsAlphanumeric(b byte) bool {
	return b-'0' < 10 || b|0x20-'a' < 26
}
