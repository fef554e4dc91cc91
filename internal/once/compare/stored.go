package compare

import (
	"math"
	"strconv"
	"strings"

	"github.com/fielato/fielato/wsfev1"
)

// The service reads an amount as an xsd:double, and may keep that double or a decimal made of it: 15
// significant digits and at most 28 decimals. Amounts have at most 13 digits and 2 decimals, rates 4 and 6
// (docs/sources.md#fields): no two that it can keep are taken for one.
const (
	storedDigits   = 15
	smallestStored = 0.5e-28
	// Amounts between these are written without an exponent.
	smallestPlain, largestPlain = 1e-19, 1e19
)

// amountText returns an amount in one form: amounts whose decimals are equal, or that read as the same
// double, have the same. It is "0" for none. An amount that no double can hold stays as it was written.
func amountText(amount wsfev1.Amount) string {
	text := amount.String()
	if !amount.Exact() || len(text) > storedDigits {
		double, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return strings.ToLower(text)
		}
		return doubleText(double)
	}
	if amount.Sign() == 0 {
		return "0"
	}
	return amount.Trim().String()
}

func doubleText(double float64) string {
	size, form := math.Abs(double), byte('f')
	switch {
	case size == 0:
		return "0"
	case size < smallestPlain, size >= largestPlain:
		form = 'e'
	}
	return strconv.FormatFloat(double, form, -1, 64)
}

// decimalText returns amountText of the decimal that the service makes of an amount.
func decimalText(text string) string {
	double, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
		return text
	case math.Abs(double) < smallestStored:
		return "0"
	}
	decimal, err := strconv.ParseFloat(strconv.FormatFloat(double, 'e', storedDigits-1, 64), 64)
	if err != nil {
		return text
	}
	return doubleText(decimal)
}

// amount is for amounts, which the service may store as their double or as a decimal.
func amount(_ *invoices, sent, kept string) bool { return sent == kept || decimalText(sent) == kept }

// storedDate returns a day in one form, whether it was written with separators or with a time of day.
// A text that is no such day stays as it is.
func storedDate(text string) string {
	day, rest := text, ""
	if len(text) >= len("2006-01-02") && text[4] == text[7] && strings.IndexByte("-/.", text[4]) >= 0 {
		day, rest = text[:4]+text[5:7]+text[8:10], text[10:]
	} else if len(text) > len("20060102") {
		day, rest = text[:8], text[8:]
	}
	if !wsfev1.Date(day).Valid() || rest != "" && !isTimeOfDay(rest) {
		return text
	}
	return day
}

// isTimeOfDay reports whether a text that follows a day may be its time.
func isTimeOfDay(text string) bool {
	return len(text) >= len("150405") && strings.Trim(text, "0123456789:.+-TZ ") == ""
}
