package spanish

import (
	"strconv"

	"github.com/fielato/fielato/wsfev1"
)

// english is the language whose figures are not those of this package.
const english = "en"

// AmountIn is Amount in the language: 1.234,56 in Spanish, 1,234.56 in English.
func AmountIn(lang string, a wsfev1.Amount) string {
	if !a.Exact() {
		return Amount(a)
	}
	return figuresIn(lang, Amount(a))
}

// MoneyIn is Money with the amount in the language.
func MoneyIn(lang string, a wsfev1.Amount, currency string) string {
	if lang != english || !a.Exact() {
		return Money(a, currency)
	}
	return figuresIn(lang, Money(a, currency))
}

// PercentIn is Percent in the language.
func PercentIn(lang string, rate wsfev1.Amount) string { return figuresIn(lang, Percent(rate)) }

// CountIn formats a number, which has no decimals, in the language: 1.234 in Spanish, 1,234 in English.
func CountIn[N ~int | ~int64 | ~uint64](lang string, n N) string {
	return figuresIn(lang, Grouped(strconv.FormatUint(uint64(n), 10)))
}

// figuresIn changes the signs between digits to those of the language.
func figuresIn(lang, text string) string {
	if lang != english {
		return text
	}
	b := []byte(text)
	isDigit := func(i int) bool { return b[i] >= '0' && b[i] <= '9' }
	for i := 1; i < len(b)-1; i++ {
		if !isDigit(i-1) || !isDigit(i+1) {
			continue
		}
		switch b[i] {
		case '.':
			b[i] = ','
		case ',':
			b[i] = '.'
		}
	}
	return string(b)
}
