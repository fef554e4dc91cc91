package wsfev1

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"
)

// Cmp compares by value: 1.50 equals 1.5. It returns 0 only where both amounts are Exact.
// One that is not equals nothing, not even an amount that prints the same: a comparison that
// took 1e400 for 2e400 would take the invoice of another program for ours. Apart from that,
// figures are ordered by value, however long they are.
func (a Amount) Cmp(b Amount) int {
	if a.Exact() && b.Exact() {
		return a.value.Cmp(b.value)
	}
	if order := figureOf(a.String()).cmp(figureOf(b.String())); order != 0 {
		return order
	}
	return -1
}

// Equal reports whether both are exact and of the same value.
func (a Amount) Equal(b Amount) bool { return a.Cmp(b) == 0 }

// figure is a JSON number as its sign and 0.d₁d₂d₃… × 10^exponent, with digits that neither
// begin nor end with a zero. Zero has no digits.
type figure struct {
	negative bool
	digits   []byte
	exponent int64
}

// figureOf reads a JSON number.
func figureOf(number string) figure {
	unsigned, negative := strings.CutPrefix(number, "-")
	mantissa, power, _ := strings.Cut(strings.ToLower(unsigned), "e")
	whole, decimals, _ := strings.Cut(mantissa, ".")
	all := bytes.TrimLeft([]byte(whole+decimals), "0")
	digits := bytes.TrimRight(all, "0")
	if len(digits) == 0 {
		return figure{}
	}
	// What was trimmed on the left moves the point as much.
	return figure{negative, digits, int64(len(all)-len(decimals)) + powerOf(power)}
}

// maxPower replaces every larger power of ten. With the length of a number added, it still
// fits an int64.
const maxPower = 1 << 62

func powerOf(text string) int64 {
	if text == "" {
		return 0
	}
	n, _ := strconv.ParseInt(text, 10, 64) // out of range it returns the nearest
	return min(max(n, -maxPower), maxPower)
}

func (f figure) cmp(g figure) int {
	if order := cmp.Compare(f.sign(), g.sign()); order != 0 {
		return order
	}
	order := cmp.Or(cmp.Compare(f.exponent, g.exponent), bytes.Compare(f.digits, g.digits))
	if f.negative {
		return -order
	}
	return order
}

func (f figure) sign() int {
	switch {
	case len(f.digits) == 0:
		return 0
	case f.negative:
		return -1
	}
	return 1
}
