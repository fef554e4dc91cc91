package double

import (
	"bytes"
	"math"
	"strconv"

	"github.com/fielato/fielato/wsfev1"
)

// exactDigits is how many significant digits a decimal may have to pass through a double and
// come back the same.
const exactDigits = 15

// tiny and its inverse bound the doubles that are written without an exponent. No amount is as
// small or as large, and the digits of one that is would make a request many times longer.
const tiny = 1e-40

// Read reads an xsd:double without white space around it: an optional sign, digits with an optional point,
// an optional exponent. INF and NaN are no amounts. The error wraps strconv.ErrRange for a number that no
// double can hold. Read returns buffer, which it may have used.
//
// Amounts are doubles on this wire, and two texts of the same double are the same amount to the
// service. Java writes 12100000 as 1.21E7, and PHP may write 931569.10 as 931569.09999999998. So
// a text with an exponent or with more than 15 significant digits means the shortest decimal that
// reads as the same double; every other text is kept digit by digit. This is the only place where
// a floating-point number holds money.
func Read(buffer, text []byte) (wsfev1.Amount, []byte, error) {
	if plainNumber(text) {
		amount, err := wsfev1.AmountFromJSON(text)
		return amount, buffer, err
	}
	number, ok := numberOf(buffer[:0], text)
	if !ok {
		return wsfev1.Amount{}, number, strconv.ErrSyntax
	}
	if bytes.IndexByte(number, 'e') >= 0 || significant(number) > exactDigits {
		double, err := strconv.ParseFloat(string(number), 64)
		if err != nil {
			return wsfev1.Amount{}, number, err
		}
		form := byte('f')
		if size := math.Abs(double); size >= 1/tiny || size < tiny && size > 0 {
			form = 'e'
		}
		number = strconv.AppendFloat(number[:0], double, form, -1, 64)
	}
	amount, err := wsfev1.AmountFromJSON(number)
	return amount, number, err
}

// plainNumber reports whether a text is a number of JSON without an exponent, and short enough to
// be kept: as most amounts are.
func plainNumber(text []byte) bool {
	if len(text) == 0 || len(text) > exactDigits || text[0] < '0' || text[0] > '9' {
		return false
	}
	if text[0] == '0' && len(text) > 1 && text[1] != '.' {
		return false
	}
	point := false
	for i, c := range text {
		if c == '.' && !point && i < len(text)-1 {
			point = true
		} else if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// IsCommon reports whether a text is digits with an optional minus and an optional point between them,
// and no more than a double keeps: every program reads these alike.
func IsCommon(text []byte) bool {
	if plainNumber(text) {
		return true
	}
	rest := bytes.TrimPrefix(text, []byte{'-'})
	whole, rest := cutDigits(rest)
	fraction, point := bytes.CutPrefix(rest, []byte{'.'})
	fraction, rest = cutDigits(fraction)
	return len(whole) > 0 && len(rest) == 0 && point == (len(fraction) > 0) && len(text) <= maxCommon && significant(text) <= exactDigits
}

// maxCommon bounds the length of what IsCommon accepts, with zeros at both ends.
const maxCommon = 32

// Is reports whether a text without white space around it is a double, but for INF and NaN.
func Is(text []byte) bool {
	_, ok := numberOf(nil, text)
	return ok
}

// numberOf appends an xsd:double as a number of JSON, the exponent after a small e. It reports
// false for a text that is none.
func numberOf(dst, text []byte) ([]byte, bool) {
	rest := text
	if len(rest) > 0 && (rest[0] == '-' || rest[0] == '+') {
		if rest[0] == '-' {
			dst = append(dst, '-')
		}
		rest = rest[1:]
	}
	whole, rest := cutDigits(rest)
	var fraction []byte
	if len(rest) > 0 && rest[0] == '.' {
		fraction, rest = cutDigits(rest[1:])
	}
	if len(whole)+len(fraction) == 0 {
		return dst, false
	}
	if whole = bytes.TrimLeft(whole, "0"); len(whole) == 0 {
		whole = []byte{'0'}
	}
	dst = append(dst, whole...)
	if len(fraction) > 0 {
		dst = append(append(dst, '.'), fraction...)
	}
	if len(rest) == 0 {
		return dst, true
	}
	if rest[0] != 'e' && rest[0] != 'E' {
		return dst, false
	}
	dst, rest = append(dst, 'e'), rest[1:]
	if len(rest) > 0 && (rest[0] == '-' || rest[0] == '+') {
		dst, rest = append(dst, rest[0]), rest[1:]
	}
	exponent, rest := cutDigits(rest)
	return append(dst, exponent...), len(exponent) > 0 && len(rest) == 0
}

func cutDigits(text []byte) (digits, rest []byte) {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return text[:n], text[n:]
}

// significant counts the digits of a number from the first that is not 0.
func significant(number []byte) int {
	n := 0
	for _, c := range number {
		if c >= '1' && c <= '9' || c == '0' && n > 0 {
			n++
		}
	}
	return n
}
