package backend

import (
	"fmt"
	"strconv"
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

// codeLength is how many digits a code has.
const codeLength = 14

// authorisationCodes makes codes of 14 digits, built as the service builds its own
// (docs/sources.md#authorisation-codes): the kind's first digit, the last digit of the year and
// the two of the week in which they are given, the serial number, a check digit. The
// serial number makes each unique in the ledger.
func authorisationCodes(first int64, given time.Time, serials []int64) ([]string, error) {
	day := given.In(wsfev1.Argentina)
	week := (day.YearDay()-1)/7 + 1
	head := (first*1000 + int64(day.Year()%10)*100 + int64(week)) * (maxSerial + 1)
	digits := make([]byte, 0, codeLength*len(serials))
	for _, serial := range serials {
		if serial < 1 || serial > maxSerial {
			return nil, fmt.Errorf("serial %d: the ledger has given out all its codes; start a new one", serial)
		}
		body := head + serial
		digits = strconv.AppendInt(digits, body*10+checkDigit(body), 10)
	}
	all := string(digits)
	codes := make([]string, len(serials))
	for i := range codes {
		codes[i] = all[i*codeLength:][:codeLength]
	}
	return codes, nil
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
	if len(code) != codeLength {
		return false
	}
	for _, c := range []byte(code) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
