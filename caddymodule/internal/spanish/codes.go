package spanish

import (
	"strconv"
	"strings"

	"github.com/fielato/fielato/wsfev1"
)

// Concept names what an invoice is for: Productos. It is empty for a code that is not in the table, as are
// those that follow.
func Concept(id int32) string {
	return map[int32]string{1: "Productos", 2: "Servicios", 3: "Productos y servicios"}[id]
}

// DocumentType names a type of document: CUIT.
func DocumentType(id int32) string { return described(wsfev1.Tables().Doc, id) }

// Tribute names a type of tribute.
func Tribute(id int32) string { return described(wsfev1.Tables().Tributo, id) }

// VAT names a rate of IVA by its code: IVA 21 %.
func VAT(id int32) string {
	rate, known := wsfev1.IvaRate(id)
	if !known {
		return ""
	}
	return "IVA " + Percent(rate)
}

// Percent formats a percentage: 10,5 %.
func Percent(rate wsfev1.Amount) string {
	return strings.Replace(rate.Trim().String(), ".", ",", 1) + " %"
}

// Currency names a currency: Pesos Argentinos.
func Currency(code string) string { return textOf(wsfev1.Tables().Moneda, code) }

// Optional names an optional datum of an invoice.
func Optional(id string) string { return textOf(wsfev1.Tables().Opcional, id) }

// months are the names of the months.
var months = [...]string{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"}

// Month names a month, which the service writes as yyyymm: noviembre de 2026.
func Month(period int32) string {
	if !wsfev1.IsPeriodo(period) {
		return ""
	}
	return months[period%100-1] + " de " + strconv.Itoa(int(period/100))
}

func described(rows []wsfev1.TipoRow, id int32) string {
	for _, row := range rows {
		if row.Id == id {
			return row.Desc
		}
	}
	return ""
}

func textOf(rows []wsfev1.CodigoRow, id string) string {
	for _, row := range rows {
		if row.Id == id {
			return row.Desc
		}
	}
	return ""
}
