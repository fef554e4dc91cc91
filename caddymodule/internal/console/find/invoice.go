package find

import (
	"cmp"
	"regexp"
	"strings"
	"time"

	"github.com/fielato/fielato/wsfev1"
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
	skipped := 0 // "Nota de crédito"
	for skipped < len(words)-1 && beforeClass[strings.ToLower(words[skipped])] {
		skipped++
	}
	rest := words[skipped:]
	switch {
	case joined.MatchString(rest[0]):
		parts := joined.FindStringSubmatch(rest[0])
		return taken(r.readPrinted(typesOf(parts[1]), parts[2]), skipped+1)
	case classed.MatchString(rest[0]) && len(rest) > 1:
		at := 1
		for at < len(rest)-1 && isLabel(rest[at]) { // "Nº"
			at++
		}
		if !printed.MatchString(rest[at]) {
			return 0
		}
		return taken(r.readPrinted(typesOf(classed.FindStringSubmatch(rest[0])[1]), rest[at]), skipped+at+1)
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

// typesOf returns the types of voucher of a class, as people write it: A, B, C, M.
func typesOf(word string) []int32 {
	class := wsfev1.Class(strings.ToUpper(word))
	if class == "M" {
		class = wsfev1.ClassALEY
	}
	var all []int32
	for _, t := range wsfev1.VoucherTypes() {
		if wsfev1.ClassOf(t) == class {
			all = append(all, t)
		}
	}
	return all
}

// merge sets an invoice, unless another one was set before.
func (r *Request) merge(types []int32, point, invoice uint64) bool {
	if cmp.Or(r.Query.PtoVta, r.Query.CbteTipo) != 0 || r.Query.Number != 0 || len(r.Query.CbteTipos) > 0 {
		return false
	}
	if len(types) == 1 {
		r.Query.CbteTipo = types[0]
	} else {
		r.Query.CbteTipos = types
	}
	r.Query.PtoVta, r.Query.Number = int32(point), int64(invoice)
	return true
}
