package find

import (
	"regexp"
	"strings"
	"time"
)

// The forms in which people write an invoice: with the class and eight digits, as it is printed, or with
// the type, as programs do.
var (
	// printed is "0001-00000123", with or without the zeros.
	printed = regexp.MustCompile(`^([0-9]{1,5})-([0-9]{1,8})$`)
	// typed is "6-1-123": type, point of sale, number.
	typed = regexp.MustCompile(`^([0-9]{1,3})-([0-9]{1,5})-([0-9]{1,8})$`)
	// classed is a class before the rest: "B", "FB", "FACB", "FacturaB".
	classed = regexp.MustCompile(`(?i)^(?:f|fac|factura|nc|nd)?-?([abcm])$`)
	// joined is the class and the number in one word: "B0001-00000123".
	joined = regexp.MustCompile(`(?i)^(?:f|fac|factura|nc|nd)?-?([abcm])-?([0-9]{1,5}-[0-9]{1,8})$`)
)

// words that may stand before a class, and mean nothing more.
var beforeClass = map[string]bool{"factura": true, "fac": true, "fc": true, "nota": true, "de": true, "crédito": true, "credito": true, "débito": true, "debito": true, "nc": true, "nd": true, "recibo": true}

// readInvoice reads an invoice: "B 0001-00000123", "Factura B 1-123", "6-1-123", "0001-00000123".
func readInvoice(r *Request, words []string, _ time.Time) int {
	skipped := 0
	for skipped < len(words)-1 && beforeClass[strings.ToLower(words[skipped])] {
		skipped++
	}
	rest := words[skipped:]
	switch {
	case joined.MatchString(rest[0]):
		parts := joined.FindStringSubmatch(rest[0])
		return taken(r.readPrinted(typesOf(parts[1]), parts[2]), skipped+1)
	case classed.MatchString(rest[0]) && len(rest) > 1 && printed.MatchString(rest[1]):
		return taken(r.readPrinted(typesOf(classed.FindStringSubmatch(rest[0])[1]), rest[1]), skipped+2)
	case skipped > 0:
		return 0
	case typed.MatchString(rest[0]):
		return taken(r.readTyped(typed.FindStringSubmatch(rest[0])), 1)
	case printed.MatchString(rest[0]):
		return taken(r.readPrinted(nil, rest[0]), 1)
	}
	return 0
}

func taken(ok bool, words int) int {
	if ok {
		return words
	}
	return 0
}

// readPrinted reads point of sale and number.
func (r *Request) readPrinted(types []int32, text string) bool {
	parts := printed.FindStringSubmatch(text)
	point, _ := number(parts[1], 5)
	invoice, _ := number(parts[2], 8)
	return point > 0 && invoice > 0 && r.merge(types, point, invoice)
}

// readTyped reads type, point of sale and number.
func (r *Request) readTyped(parts []string) bool {
	kind, _ := number(parts[1], 3)
	point, _ := number(parts[2], 5)
	invoice, _ := number(parts[3], 8)
	return kind > 0 && point > 0 && invoice > 0 && r.merge([]int32{int32(kind)}, point, invoice)
}
