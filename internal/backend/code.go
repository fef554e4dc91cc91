package backend

import (
	"fmt"
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// The first digits of this package's codes. The service's own CAE began with 6, 7 and 8
// until 2026 and its CAEA with 2, so the digit shows that a code is not real. Codes that were
// given stay; never change these to a digit of the service.
const (
	firstDigitCAE  = 9
	firstDigitCAEA = 4
)

// maxSerial bounds the serial numbers that fit a code: nine digits.
const maxSerial = 999_999_999

// authorisationCode makes a code of 14 digits, built as the service builds its own
// (docs/sources.md#authorisation-codes): the kind's first digit, the last digit of the year and
// the two of the week in which it is given, the serial number, a check digit. The
// serial number makes it unique in the ledger.
func authorisationCode(first int64, given time.Time, serial int64) (string, error) {
	if serial < 1 || serial > maxSerial {
		return "", fmt.Errorf("serial %d: the ledger has given out all its codes; start a new one", serial)
	}
	day := given.In(wsfev1.Argentina)
	week := (day.YearDay()-1)/7 + 1
	body := (first*1000+int64(day.Year()%10)*100+int64(week))*1_000_000_000 + serial
	return fmt.Sprintf("%013d%d", body, checkDigit(body)), nil
}

// checkDigit is the weighted sum that the last digit of every authentic code
// obeys.
func checkDigit(body int64) int64 {
	weights := [13]int64{5, 6, 7, 8, 3, 4, 5, 6, 7, 8, 1, 2, 3}
	var sum int64
	for i := len(weights) - 1; i >= 0; i-- {
		sum += body % 10 * weights[i]
		body /= 10
	}
	return sum % 10
}

// AuthorisationCode reports whether the text has the form of a CAE or CAEA: 14 digits, the
// last one a check digit. simulated reports whether it is one of this package's.
func AuthorisationCode(code string) (valid, simulated bool) {
	if !fourteenDigits(code) {
		return false, false
	}
	var body int64
	for _, c := range code[:13] {
		body = body*10 + int64(c-'0')
	}
	first := int64(code[0] - '0')
	valid = int64(code[13]-'0') == checkDigit(body)
	return valid, valid && (first == firstDigitCAE || first == firstDigitCAEA)
}

// serialOf returns the serial number in a code of this package.
func serialOf(code string) (serial int64) {
	for _, c := range []byte(code[4:13]) {
		serial = serial*10 + int64(c-'0')
	}
	return serial
}

func fourteenDigits(code string) bool {
	if len(code) != 14 {
		return false
	}
	for _, c := range []byte(code) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
