package wsfev1

import "strconv"

// CUIT is an Argentine tax identification number: eleven digits, the last of
// which is a check digit. It does not fit 32 bits.
type CUIT int64

// NoCategorizado is the number of a receiver that is not categorised, sent with DocTipo 80
// (docs/sources.md#receiver).
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

// String returns the digits without dashes.
func (c CUIT) String() string { return strconv.FormatInt(int64(c), 10) }
