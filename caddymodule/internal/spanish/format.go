package spanish

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// Moment formats a time to the second, as people in Argentina read it.
func Moment(t time.Time) string {
	return t.In(wsfev1.Argentina).Format("02/01/2006 15:04:05") + " (hora argentina)"
}

// Day formats a date of the service. A text that is no day stays as it is.
func Day(d wsfev1.Date) string {
	t, ok := d.Time()
	if !ok {
		return string(d)
	}
	return t.Format("02/01/2006")
}

// Duration formats a duration: hundredths of a second below a minute, whole seconds above.
func Duration(d time.Duration) string {
	const hundredth = 10 * time.Millisecond
	if d < hundredth {
		return "menos de 0,01 s"
	}
	if rounded := d.Round(hundredth); rounded < time.Minute {
		n := int64(rounded / hundredth)
		return fmt.Sprintf("%d,%02d s", n/100, n%100)
	}
	seconds := int64(d.Round(time.Second) / time.Second)
	var parts []string
	for _, unit := range []struct {
		name  string
		value int64
	}{{"d", seconds / 86400}, {"h", seconds / 3600 % 24}, {"min", seconds / 60 % 60}, {"s", seconds % 60}} {
		if unit.value > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", unit.value, unit.name))
		}
	}
	return strings.Join(parts, " ")
}

// Amount formats an amount with a decimal comma and at least two decimals: 1.234,56. No digit is rounded
// away. An inexact amount stays as it was sent.
func Amount(a wsfev1.Amount) string {
	if !a.Exact() {
		return a.String()
	}
	text, minus := strings.CutPrefix(a.Trim().String(), "-")
	whole, decimals, _ := strings.Cut(text, ".")
	decimals += strings.Repeat("0", max(0, 2-len(decimals)))
	text = Grouped(whole) + "," + decimals
	if minus {
		return "-" + text
	}
	return text
}

// Money formats an amount in a currency, by the service's code of it.
func Money(a wsfev1.Amount, currency string) string {
	switch currency {
	case "PES":
		return "$ " + Amount(a)
	case "":
		return Amount(a)
	}
	return Amount(a) + " (" + currencyName(currency) + ")"
}

// currencyName returns the name of a currency; its code if the reference table does not have it.
func currencyName(code string) string {
	for _, row := range wsfev1.Tables().Moneda {
		if row.Id == code {
			return row.Desc
		}
	}
	return "moneda " + code
}

// Grouped puts a point between each three digits.
func Grouped(digits string) string {
	var b strings.Builder
	for i, digit := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte('.')
		}
		b.WriteRune(digit)
	}
	return b.String()
}

// CUIT formats a CUIT with its dashes: 20-11111111-2. A number of another length stays as
// it is.
func CUIT(c wsfev1.CUIT) string {
	text := c.String()
	if len(text) != 11 {
		return text
	}
	return text[:2] + "-" + text[2:10] + "-" + text[10:]
}

// voucherNames are the types of vouchers whose name in the service's table is a plural or cut
// short.
var voucherNames = map[int32]string{
	4: "Recibo A", 5: "Nota de Venta al Contado A", 9: "Recibo B", 10: "Nota de Venta al Contado B",
	34: "Comprobante A del Anexo I, apartado A, inciso f), RG 1415", 35: "Comprobante B del Anexo I, apartado A, inciso f), RG 1415",
	39: "Otro comprobante A (RG 1415)", 40: "Otro comprobante B (RG 1415)",
	60: "Cuenta de Venta y Líquido Producto A", 61: "Cuenta de Venta y Líquido Producto B",
	63: "Liquidación A", 64: "Liquidación B",
	201: "Factura de Crédito Electrónica MiPyME (FCE) A", 202: "Nota de Débito Electrónica MiPyME (FCE) A", 203: "Nota de Crédito Electrónica MiPyME (FCE) A",
	206: "Factura de Crédito Electrónica MiPyME (FCE) B", 207: "Nota de Débito Electrónica MiPyME (FCE) B", 208: "Nota de Crédito Electrónica MiPyME (FCE) B",
	211: "Factura de Crédito Electrónica MiPyME (FCE) C", 212: "Nota de Débito Electrónica MiPyME (FCE) C", 213: "Nota de Crédito Electrónica MiPyME (FCE) C",
}

// Voucher returns the name of a type of voucher.
func Voucher(cbteTipo int32) string {
	if name, ok := voucherNames[cbteTipo]; ok {
		return name
	}
	for _, row := range wsfev1.Tables().Cbte {
		if row.Id == cbteTipo {
			return row.Desc
		}
	}
	return fmt.Sprintf("Comprobante de tipo %d", cbteTipo)
}

// Number formats a point of sale and a number: 0001-00000005.
func Number(ptoVta int32, number int64) string { return fmt.Sprintf("%04d-%08d", ptoVta, number) }

// Numbers formats a range of numbers, or the one number that it has.
func Numbers(ptoVta int32, first, last int64) string {
	if first == last {
		return Number(ptoVta, first)
	}
	return Number(ptoVta, first) + " a " + Number(ptoVta, last)
}

// The types of documents that the page words itself.
const (
	docCUIT  = 80
	docCUIL  = 86
	docCDI   = 87
	docDNI   = 96
	docOther = 99
)

// Document names the receiver by its document.
func Document(docTipo int32, docNro int64) string {
	number := strconv.FormatInt(docNro, 10)
	switch docTipo {
	case docOther:
		if docNro == 0 {
			return "Consumidor final, sin identificar"
		}
	case docCUIT, docCUIL, docCDI:
		if docTipo == docCUIT && wsfev1.CUIT(docNro) == wsfev1.NoCategorizado {
			return "Sujeto no categorizado"
		}
		number = CUIT(wsfev1.CUIT(docNro))
	case docDNI:
		if docNro > 0 {
			number = Grouped(number)
		}
	}
	for _, row := range wsfev1.Tables().Doc {
		if row.Id == docTipo {
			return row.Desc + " " + number
		}
	}
	return fmt.Sprintf("Documento de tipo %d, %s", docTipo, number)
}

// Condition returns the IVA condition of a receiver.
func Condition(id int32) string {
	for _, row := range wsfev1.Tables().CondicionIvaReceptor {
		if row.Id == id {
			return row.Desc
		}
	}
	return fmt.Sprintf("código %d, que no está en la tabla", id)
}
