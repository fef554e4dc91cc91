package wsfev1

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/govalues/decimal"
)

// ErrAmount is wrapped by the errors of ParseAmount.
var ErrAmount = errors.New("not a JSON number")

// Amount is an exact decimal: money in pesos or in the invoice's currency, an
// exchange rate, a percentage. It keeps the digits it was given (122.00 stays
// 122.00), prints as a JSON number and never passes through a float.
//
// The zero Amount stands for one that was not sent; it counts as zero.
//
// Up to 19 significant digits are computed exactly. An amount with more of them,
// or a result that does not fit, is not Exact: it still prints as it was sent, and
// a result computed from it is not Exact either. No amount of the service comes
// near that (13 digits and 2 decimals at the most, docs/sources.md#fields).
type Amount struct {
	value decimal.Decimal
	// literal is what was sent, where value does not print the same.
	literal string
	state   amountState
}

type amountState uint8

const (
	amountAbsent amountState = iota
	amountExact
	amountInexact
)

// ParseAmount reads a JSON number.
func ParseAmount(text string) (Amount, error) { return AmountFromJSON([]byte(text)) }

// MustAmount is ParseAmount for constants; it panics on anything else than a
// JSON number.
func MustAmount(text string) Amount {
	a, err := ParseAmount(text)
	if err != nil {
		panic(err)
	}
	return a
}

// AmountOf returns units with scale decimals: AmountOf(1250, 2) is 12.50. A scale that is
// not 0 to 19 is written as a power of ten, and only an amount that has at most 19 digits
// for all that is Exact.
func AmountOf(units int64, scale int) Amount {
	value, err := decimal.New(units, scale)
	if err != nil {
		a, _ := ParseAmount(fmt.Sprintf("%de%d", units, -int64(scale))) // which is a JSON number
		return a
	}
	return Amount{value: value, state: amountExact}
}

// AmountFromJSON reads a JSON number. It does not keep number.
func AmountFromJSON(number []byte) (Amount, error) {
	if a, ok := shortAmount(number); ok {
		return a, nil
	}
	v := jsontext.Value(number)
	if v.Kind() != '0' || !v.IsValid() || bytes.ContainsAny(number, " \t\r\n") {
		return Amount{}, fmt.Errorf("amount of %d bytes: %w", len(number), ErrAmount)
	}
	a := Amount{literal: string(number), state: amountInexact}
	if value, ok := exactDecimal(number); ok {
		a.value, a.state = value, amountExact
	}
	return a, nil
}

// exactDecimal reads a JSON number that decimal can hold to its last digit. One
// that was rounded to fit does not have the digits that were sent.
func exactDecimal(number []byte) (decimal.Decimal, bool) {
	value, err := decimal.Parse(string(number))
	if err != nil {
		return decimal.Decimal{}, false
	}
	mantissa, _, _ := bytes.Cut(bytes.ToLower(number), []byte("e"))
	return value, significantDigits(mantissa) <= decimal.MaxPrec && sameDigits(mantissa, value)
}

// shortAmount reads the plain numbers of up to 18 digits that practice consists
// of: an optional minus, digits, an optional fraction, no exponent.
func shortAmount(text []byte) (Amount, bool) {
	digits := text
	negative := len(digits) > 0 && digits[0] == '-'
	if negative {
		digits = digits[1:]
	}
	if len(digits) == 0 || len(digits) > 19 {
		return Amount{}, false
	}
	var units int64
	point, count := -1, 0
	for i, c := range digits {
		switch {
		case c >= '0' && c <= '9':
			units = units*10 + int64(c-'0')
			count++
		case c == '.' && point < 0 && i > 0 && i < len(digits)-1:
			point = i
		default:
			return Amount{}, false
		}
	}
	whole, scale := len(digits), 0
	if point >= 0 {
		whole, scale = point, len(digits)-point-1
	}
	if count > 18 || whole > 1 && digits[0] == '0' || negative && units == 0 {
		return Amount{}, false
	}
	if negative {
		units = -units
	}
	value, err := decimal.New(units, scale)
	if err != nil {
		return Amount{}, false
	}
	return Amount{value: value, state: amountExact}, true
}

// significantDigits counts the digits of a mantissa without its leading zeros
// and without the zeros that end it.
func significantDigits(mantissa []byte) int {
	return len(trimDigits(mantissa))
}

func trimDigits(mantissa []byte) []byte {
	digits := make([]byte, 0, len(mantissa))
	for _, c := range mantissa {
		if c >= '0' && c <= '9' {
			digits = append(digits, c)
		}
	}
	return bytes.Trim(digits, "0")
}

func sameDigits(mantissa []byte, value decimal.Decimal) bool {
	return bytes.Equal(trimDigits(mantissa), trimDigits([]byte(value.String())))
}

// Sent reports whether there is an amount at all.
func (a Amount) Sent() bool { return a.state != amountAbsent }

// IsZero reports whether no amount was sent; it is what `omitzero` asks. Use
// Sign to compare with 0. It is of a pointer, since package json boxes what it asks otherwise: eleven amounts for
// each invoice that is written.
func (a *Amount) IsZero() bool { return a == nil || a.state == amountAbsent }

// Exact reports whether the amount is known to its last digit. One that was not
// sent is exactly zero.
func (a Amount) Exact() bool { return a.state != amountInexact }

// Sign returns -1, 0 or 1.
func (a Amount) Sign() int {
	if a.state == amountInexact && a.literal != "" {
		return literalSign(a.literal)
	}
	return a.value.Sign()
}

func literalSign(literal string) int {
	mantissa, _, _ := bytes.Cut(bytes.ToLower([]byte(literal)), []byte("e"))
	switch {
	case significantDigits(mantissa) == 0:
		return 0
	case literal[0] == '-':
		return -1
	}
	return 1
}

// Trim returns the amount without the zeros that end its decimals, as the
// service prints amounts: 122.00 becomes 122, 1e2 becomes 100. One that is not
// Exact stays as it is.
func (a Amount) Trim() Amount {
	if a.state != amountExact {
		return a
	}
	return Amount{value: a.value.Trim(0), state: amountExact}
}

// String returns the number as it was sent or computed; one that was not sent
// is "0".
func (a Amount) String() string {
	if a.literal != "" {
		return a.literal
	}
	return a.value.String()
}

// Append appends what String returns.
func (a Amount) Append(b []byte) []byte {
	if a.literal != "" {
		return append(b, a.literal...)
	}
	text, _ := a.value.AppendText(b) // which never fails
	return text
}

// MarshalJSONTo writes a JSON number.
func (a Amount) MarshalJSONTo(enc *jsontext.Encoder) error {
	return enc.WriteValue(a.Append(enc.AvailableBuffer()))
}

// MarshalJSON writes a JSON number.
func (a Amount) MarshalJSON() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalJSONFrom reads a JSON number; null reads as an amount not sent.
func (a *Amount) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	v, err := dec.ReadValue()
	if err != nil {
		return err
	}
	return a.UnmarshalJSON(v)
}

// UnmarshalJSON reads a JSON number; null reads as an amount not sent.
func (a *Amount) UnmarshalJSON(v []byte) error {
	if string(v) == "null" {
		*a = Amount{}
		return nil
	}
	parsed, err := AmountFromJSON(v)
	if err != nil {
		return err
	}
	*a = parsed
	return nil
}
