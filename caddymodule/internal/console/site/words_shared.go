package site

import (
	"strconv"
	"time"
)

// MonthOf names a month: octubre de 2026.
func (f *Frame) MonthOf(t time.Time) string {
	return f.Common("month."+strconv.Itoa(int(t.Month()))) + " " + strconv.Itoa(t.Year())
}

// sharedWords are the words that several pages have, and the frame has not.
var sharedWords = Words{
	"series.testing": {"homologación, sin validez fiscal", "homologation, no fiscal validity"},

	"damaged": {"Hay registros dañados, que no se pueden leer: lo que dice esta página puede estar incompleto. «fielato wsfev1 audit verify» dice cuáles son.", "Some records are damaged and cannot be read: this page may be incomplete. “fielato wsfev1 audit verify” names them."},

	// The members of an invoice.
	"qr":               {"Código QR del comprobante (RG 4892)", "QR code of the invoice (RG 4892)"},
	"qr.text":          {"Texto del código", "Text of the code"},
	"invoice.number":   {"Número", "Number"},
	"invoice.date":     {"Fecha", "Date"},
	"invoice.receiver": {"Receptor", "Receiver"},
	"invoice.vat":      {"Condición frente al IVA", "VAT condition"},
	"invoice.concept":  {"Concepto", "Concept"},
	"invoice.service":  {"Período del servicio", "Period of the service"},
	"invoice.due":      {"Vencimiento del pago", "Payment due"},
	"invoice.rate":     {"Cotización", "Exchange rate"},
	"invoice.amounts":  {"Importes", "Amounts"},
	"invoice.net":      {"Neto gravado", "Taxable net"},
	"invoice.subtotal": {"Subtotal", "Subtotal"},
	"invoice.exempt":   {"Exento", "Exempt"},
	"invoice.untaxed":  {"No gravado", "Not taxed"},
	"invoice.tributes": {"Otros tributos", "Other taxes"},
	"invoice.total":    {"Total", "Total"},
	"invoice.absent":   {"no se envió", "not sent"},
	"invoice.items":    {"no coincide: el detalle suma", "does not match: the items add up to"},
	"invoice.parts":    {"no coincide: las partes suman", "does not match: the parts add up to"},
	"verdict":          {"Resultado", "Result"},

	// A refused request, to be opened.
	"try.this":       {"Probar este pedido", "Try this request"},
	"try.this.means": {"Se abre para corregirlo y ver qué respondería la pasarela. No se envía nada.", "It opens to be corrected, and shows what the gateway would answer. Nothing is sent."},

	// What an invoice is now.
	"state.approved":          {"Aprobado", "Approved"},
	"state.existing":          {"Autorizado, según una consulta", "Authorised, as a query shows"},
	"state.unknown":           {"No se sabe si fue emitido", "Not known whether it was issued"},
	"state.rejected":          {"No emitido", "Not issued"},
	"state.unknown.reported":  {"No se sabe si fue informado", "Not known whether it was reported"},
	"state.rejected.reported": {"No informado", "Not reported"},
	"state.absent":            {"No consta ningún pedido de emitirlo", "No request to issue it is recorded"},
	"state.none":              {"Sin pedidos ni consultas de clientes", "No requests or queries from clients"},

	"month.1":  {"enero de", "January"},
	"month.2":  {"febrero de", "February"},
	"month.3":  {"marzo de", "March"},
	"month.4":  {"abril de", "April"},
	"month.5":  {"mayo de", "May"},
	"month.6":  {"junio de", "June"},
	"month.7":  {"julio de", "July"},
	"month.8":  {"agosto de", "August"},
	"month.9":  {"septiembre de", "September"},
	"month.10": {"octubre de", "October"},
	"month.11": {"noviembre de", "November"},
	"month.12": {"diciembre de", "December"},
}
