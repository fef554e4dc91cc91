package validate

import (
	"encoding/binary"
	"math/bits"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/internal/jsonscan"
)

// token reads the token at which the walk stands and returns its bytes, nil if there is none of this kind.
func (d *decoder) token(kind jsontext.Kind) []byte {
	rest, n := d.body[d.at:d.end], 1
	switch kind {
	case '"':
		n = stringLen(rest)
	case '0':
		n = jsonscan.NumberLen(rest)
	case 'n':
		n = literalLen(rest, "null")
	case 't':
		n = literalLen(rest, "true")
	case 'f':
		n = literalLen(rest, "false")
	}
	if n == 0 {
		return nil
	}
	d.at += n
	return rest[:n]
}

func literalLen(text []byte, literal string) int {
	if len(text) < len(literal) || string(text[:len(literal)]) != literal {
		return 0
	}
	return len(literal)
}

// stringLen returns the length of the JSON string with which text begins, 0 if it does not end or has a control
// character. Whether its escapes are right is for who reads them.
func stringLen(text []byte) int {
	n := 1
	for {
		n += plainLen(text[n:])
		switch {
		case n >= len(text) || text[n] < ' ':
			return 0
		case text[n] == '"':
			return n + 1
		}
		if n += 2; n >= len(text) { // an escape
			return 0
		}
	}
}

// plainLen returns how many bytes at the beginning of text are neither a quote, a backslash nor a control
// character. Most texts are shorter than a word or two.
func plainLen(text []byte) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; n+8 <= len(text); n += 8 {
		word := binary.LittleEndian.Uint64(text[n:])
		quote, slash := word^('"'*ones), word^('\\'*ones)
		// A byte of the result has its high bit set where quote or slash is zero, or word is less than a blank;
		// borrows can set it in bytes above one of these, never below.
		if found := ((quote-ones)&^quote | (slash-ones)&^slash | (word-' '*ones)&^word) & high; found != 0 {
			return n + bits.TrailingZeros64(found)/8
		}
	}
	for ; n < len(text); n++ {
		if c := text[n]; c == '"' || c == '\\' || c < ' ' {
			break
		}
	}
	return n
}
