package wsfev1

import (
	"errors"
	"strconv"
	"strings"
)

// CUIT is an Argentine tax identification number: eleven digits, the last of
// which is a check digit. It does not fit 32 bits.
type CUIT int64

// NoCategorizado is the number of an uncategorised receiver, with DocTipo 80 (docs/sources.md#receiver).
const NoCategorizado CUIT = 23000000000

// Valid reports whether the number has eleven digits and a right check digit:
// the digits weighted 5,4,3,2,7,6,5,4,3,2 and the check digit itself add up to
// a multiple of eleven.
func (c CUIT) Valid() bool {
	if c < 10_000_000_000 || c > 99_999_999_999 {
		return false
	}
	weights := [...]int64{1, 2, 3, 4, 5, 6, 7, 2, 3, 4, 5}
	sum, rest := int64(0), int64(c)
	for _, w := range weights {
		sum += rest % 10 * w
		rest /= 10
	}
	return sum%11 == 0
}

// Possible reports whether a CUIT may be so written: a number from 1 to one of eleven digits,
// whatever its check digit. Under any other nothing was ever issued.
func (c CUIT) Possible() bool { return c > 0 && c <= 99_999_999_999 }

var (
	errCUITForm  = errors.New("give its eleven digits, such as 20111111112 or 20-11111111-2, without spaces")
	errCUITCheck = errors.New("its check digit, the last one, does not fit the others; look for the mistyped digit")
)

// ParseCUIT parses a CUIT that a person wrote: its digits, or all eleven with the two dashes as
// on paper, 20-11111111-2. It accepts fewer digits and a wrong check digit; see Check. The
// contract's own numbers do not pass through here.
func ParseCUIT(text string) (CUIT, error) {
	digits := text
	if len(text) == len("20-11111111-2") && text[2] == '-' && text[11] == '-' {
		digits = text[:2] + text[3:11] + text[12:]
	}
	if len(digits) > 11 || strings.Trim(digits, "0123456789") != "" {
		return 0, errCUITForm
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n == 0 {
		return 0, errCUITForm
	}
	return CUIT(n), nil
}

// Check returns the mistake in a CUIT that is not Valid, for the person who wrote it. It
// suggests no digit: any of the eleven may be the wrong one.
func (c CUIT) Check() error {
	switch {
	case c.Valid():
		return nil
	case c < 10_000_000_000 || c > 99_999_999_999:
		return errCUITForm
	}
	return errCUITCheck
}

// String returns the digits without dashes.
func (c CUIT) String() string { return strconv.FormatInt(int64(c), 10) }

// IsAuthorization reports whether a text can be a CAE or a CAEA: digits, not zeros alone.
func IsAuthorization(s string) bool {
	return strings.Trim(s, "0123456789") == "" && strings.Trim(s, "0") != ""
}
