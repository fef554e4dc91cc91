package rules

import (
	"strconv"
	"strings"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// The texts of findings are for people who invoice, in Argentine Spanish: they name the member,
// what it is, and the cure. Amounts have a decimal comma, dates are 15/11/2026. One that has its
// values in it ends without a full stop, see validate.Finding.

// inWords writes an amount as people read it: 1.234,50.
func inWords(a wsfev1.Amount) string {
	if !a.Exact() {
		return validate.Printable(a.String())
	}
	text, minus := strings.CutPrefix(money(a), "-")
	whole, decimals, found := strings.Cut(text, ".")
	if !found || len(text) > 40 {
		return validate.Printable(a.String())
	}
	text = grouped(whole) + "," + decimals
	if minus {
		return "-" + text
	}
	return text
}

// grouped puts a point between each three digits.
func grouped(digits string) string {
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "." + digits[at:]
	}
	return digits
}

// rateInWords writes a rate, or a percentage: 21, 10,5, 1415,5.
func rateInWords(a wsfev1.Amount) string { return strings.Replace(figure(a), ".", ",", 1) }

// spanText writes a range of days: 15/11 al 25/11/2026.
func spanText(first, last wsfev1.Date) string {
	from := validate.DayText(first)
	if first[:4] == last[:4] {
		from = from[:len("15/11")]
	}
	return from + " al " + validate.DayText(last)
}

// quoted quotes a text of the client, cut to what can be shown.
func quoted(text string) string { return "«" + validate.Printable(text) + "»" }

// list joins words: 6, 7 u 8.
func list(words ...string) string {
	n := len(words)
	if n < 2 {
		return strings.Join(words, "")
	}
	or := " o "
	if last := words[n-1]; strings.HasPrefix(last, "8") || last == "11" || strings.HasPrefix(last, "o") || strings.HasPrefix(last, "O") {
		or = " u "
	}
	return strings.Join(words[:n-1], ", ") + or + words[n-1]
}

// count writes how many there are of something.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// voucher names a type of voucher: Nota de Crédito B (8).
func voucher(cbteTipo int32) string {
	for _, row := range wsfev1.Tables().Cbte {
		if row.Id == cbteTipo {
			return singular.Replace(row.Desc) + " (" + number(cbteTipo) + ")"
		}
	}
	if wsfev1.IsRemito(cbteTipo) {
		return "remito (" + number(cbteTipo) + ")"
	}
	return "comprobante de tipo " + number(cbteTipo)
}

// aVoucher is voucher with its article: una Nota de Crédito B (8).
func aVoucher(cbteTipo int32) string {
	name := voucher(cbteTipo)
	if strings.HasPrefix(name, "Recibo") || strings.HasPrefix(name, "Comprobante") || strings.HasPrefix(name, "comprobante") || strings.HasPrefix(name, "remito") {
		return "un " + name
	}
	return "una " + name
}

// capital begins a sentence with a text whose first letter has no accent.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// document names a type of document: 96 (DNI).
func document(docTipo int32) string {
	if docTipo == docNone {
		return "99 (sin identificar)"
	}
	for _, row := range wsfev1.Tables().Doc {
		if row.Id == docTipo {
			return number(docTipo) + " (" + row.Desc + ")"
		}
	}
	return number(docTipo)
}

// checkDigit returns the check digit that the first ten digits of a number ask for; false where the number
// has not eleven, or there is none.
func checkDigit(n int64) (string, bool) {
	if n < 10_000_000_000 || n > 99_999_999_999 {
		return "", false
	}
	for digit := range int64(10) {
		if wsfev1.CUIT(n - n%10 + digit).Valid() {
			return number(digit), true
		}
	}
	return "", false
}

// singular mends the names of the service's table that are a plural, or cut short.
var singular = strings.NewReplacer("Recibos", "Recibo", "Notas", "Nota", "Cbtes.", "Comprobante", "Otros comprobantes", "Comprobante",
	"cumplan", "cumpla", "Factura de Crédito electrónica MiPyMEs (FCE)", "Factura FCE", "electrónica MiPyMEs (FCE)", "FCE",
	` con Leyenda "Operación Sujeta a Retención"`, " con leyenda", "Liquidacion", "Liquidación", "Cta de Vta y Liquido prod.", "Cuenta de Venta y Líquido Producto")

// condition names a condition before IVA: 6 (Responsable Monotributo).
func condition(id int32) string {
	for _, row := range wsfev1.Tables().CondicionIvaReceptor {
		if row.Id == id {
			return number(id) + " (" + row.Desc + ")"
		}
	}
	return number(id)
}

// aliquot names a rate of IVA: 5 (21 %).
func aliquot(id int32) string {
	if rate, known := wsfev1.IvaRate(id); known {
		return number(id) + " (" + rateInWords(rate) + " %)"
	}
	return number(id)
}

// lastMember returns the last name of a JSON Pointer.
func lastMember(pointer string) string { return pointer[strings.LastIndexByte(pointer, '/')+1:] }

// told completes the sentence of a rule with what was received. A member that was left out, or is
// an empty text, is said to be missing: by the sentence itself, if it begins with the member.
func told(sentence, pointer, got string, absent bool) string {
	sentence = strings.TrimSuffix(sentence, ".")
	if strings.HasPrefix(sentence, "Falta") {
		return sentence
	}
	if absent || got == "" {
		name, rest, found := strings.Cut(sentence, " ")
		if found && (name == lastMember(pointer) || strings.HasSuffix(name, "."+lastMember(pointer))) {
			return "Falta " + name + ": " + rest
		}
		return sentence
	}
	return sentence + "; se informó " + received(pointer, got)
}

// received writes what was received: dates as such, amounts with a comma, other texts quoted.
func received(pointer, got string) string {
	member := lastMember(pointer)
	switch {
	case strings.Contains(member, "Fch") && member != "CbteFchHsGen" && wsfev1.Date(got).Valid():
		return validate.DayText(wsfev1.Date(got))
	case strings.Trim(got, "0123456789") == "":
		return got
	case member != "Valor" && strings.Trim(got, "-0123456789.") == "":
		if a, err := wsfev1.ParseAmount(got); err == nil && a.Exact() {
			return strings.Replace(got, ".", ",", 1)
		}
	}
	return quoted(got)
}
