package rules

import (
	"strings"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// fceRules are about credit invoices MiPyME and their notes: receiver, dates, what
// the register knows, and the duty to issue one. asocRules and opcionalRules hold for
// them too.
var fceRules = []rule{
	{
		// In class A rule 1403 finds the same.
		codes: codes{caea.exc(1487)}, types: all(wsfev1.IsFCE, notOfClass(wsfev1.ClassA)), invoice: creditReceiverHasCUIT,
		es: "El receptor de un comprobante FCE se identifica con DocTipo 80 (CUIT).",
		en: "The receiver of a credit invoice MiPyME, or of its note, is not identified by CUIT.",
	},
	{
		codes: codes{cae.exc(10161), caea.exc(1458)},
		es:    "El receptor no tiene domicilio fiscal electrónico.",
		en:    "The receiver has no electronic fiscal address.",
	},
	{
		codes: codes{cae.exc(10163), caea.exc(1460)}, types: fceInvoice, invoice: creditInvoiceIsDue,
		es: "Falta FchVtoPago: una factura FCE la lleva, aaaammdd.",
		en: "FchVtoPago is missing in a credit invoice MiPyME, or no day written yyyymmdd.",
	},
	{
		codes: codes{cae.exc(10164), caea.exc(1461)}, types: fceInvoice, invoice: creditInvoiceIsDueLater,
		es: "FchVtoPago no puede ser anterior a la fecha del comprobante ni a hoy.",
		en: "FchVtoPago of a credit invoice MiPyME is before its own date, or before today.",
	},
	{
		codes: codes{cae.exc(10175), caea.exc(1472)}, types: fceNote, with: withOpcionales, invoice: creditNoteIsNotDue,
		es: "FchVtoPago se informa en una nota FCE solo si es de anulación.",
		en: "FchVtoPago is sent in a note of a credit invoice MiPyME that is no annulment.",
	},
	{
		// For CAEA the service has 1445 and 1446, which stand among caeaRules.
		codes: codes{cae.exc(10176)},
		es:    "El receptor no está activo en el padrón.",
		en:    "The receiver is not active in the register.",
	},
	{
		codes: codes{cae.exc(10177), caea.exc(1474)},
		es:    "El receptor no está activo en el impuesto que la clase de FCE requiere.",
		en:    "The receiver is not active in the tax that the class of the voucher asks for.",
	},
	{
		codes: codes{cae.exc(10178), caea.exc(1475)}, types: wsfev1.IsFCE, invoice: creditReceiverIsCategorised,
		es: "Un comprobante FCE no admite como receptor a un no categorizado.",
		en: "The receiver of a credit invoice MiPyME, or of its note, is the one that is not categorised.",
	},
	{
		codes: codes{cae.exc(10180), caea.exc(1476)},
		es:    "El receptor no es empresa grande ni PyME que haya optado por el régimen, o su actividad no está alcanzada.",
		en:    "The receiver is neither large nor one that opted for the regime, or his activity is not covered by it.",
	},
	{
		codes: codes{cae.exc(10181), caea.exc(1477)},
		es:    "La moneda de la nota FCE no es la del comprobante asociado ni pesos.",
		en:    "The note is neither in the currency of the associated voucher nor in pesos.",
	},
	{
		codes: codes{cae.exc(10184), caea.exc(1479)},
		es:    "La nota de crédito FCE alcanza o supera el saldo de la cuenta corriente.",
		en:    "The credit note reaches the balance of the current account.",
	},
	{
		codes: codes{cae.obs(10188)},
		also:  []Source{rgFCEMinimum},
		es:    "Por la categoría de emisor y receptor correspondía una factura FCE.",
		en:    "By the categories of issuer and receiver a credit invoice MiPyME was due.",
	},
	{
		// Whether it is due depends on how issuer and receiver are registered, which the
		// service knows. An edge knows the amount: it observes, so that companies that sell to
		// large ones see which invoices reach it.
		codes: codes{cae.exc(10192), caea.obs(1485)}, level: validate.Observe, notice: true, types: only(1, 6, 11), invoice: ordinaryInvoiceIsBelowFCE,
		also: []Source{rgFCEMinimum},
		es:   "Por su importe puede corresponder una factura FCE, según la categoría de emisor y receptor.",
		en:   "By its amount, and if issuer and receiver are so registered, it has to be a credit invoice MiPyME.",
	},
	{
		codes: codes{cae.exc(10196)}, types: wsfev1.IsFCE, with: withPeriodoAsoc, invoice: hasNoPeriod,
		es: "Un comprobante FCE no admite PeriodoAsoc: use CbtesAsoc.",
		en: "A credit invoice MiPyME, or its note, has a PeriodoAsoc.",
	},
}

func creditReceiverHasCUIT(c *invoiceCheck) {
	if c.DocTipo != docCUIT {
		c.wrong("DocTipo", number(c.DocTipo), "80")
	}
}

func creditReceiverIsCategorised(c *invoiceCheck) {
	if wsfev1.CUIT(c.DocNro) == wsfev1.NoCategorizado {
		c.wrong("DocNro", number(c.DocNro), "")
	}
}

// creditInvoiceIsDue treats a text that is no day as missing. With services rules 10049 and
// 1413 find it.
func creditInvoiceIsDue(c *invoiceCheck) {
	if c.FchVtoPago == "" || c.Concepto == products && !c.FchVtoPago.Valid() {
		if f := c.wrong("FchVtoPago", string(c.FchVtoPago), ""); f.Got != "" {
			f.Text = noDay("FchVtoPago", c.FchVtoPago)
		}
	}
}

func creditInvoiceIsDueLater(c *invoiceCheck) {
	day, ok := c.voucherDay()
	if !ok || !c.FchVtoPago.Valid() {
		return
	}
	if earliest := max(day, c.calendar.today); c.FchVtoPago < earliest {
		f := c.wrong("FchVtoPago", string(c.FchVtoPago), string(earliest)+" o posterior")
		f.Text = "FchVtoPago " + validate.DayText(c.FchVtoPago) + " es anterior a la fecha del comprobante o a hoy: en una factura FCE va desde el " + validate.DayText(earliest)
	}
}

// creditNoteIsNotDue leaves a note that does not declare its kind to rules 10167 and 10173.
func creditNoteIsNotDue(c *invoiceCheck) {
	if c.FchVtoPago == "" {
		return
	}
	if annuls, said := c.annuls(); said && !annuls {
		c.wrong("FchVtoPago", string(c.FchVtoPago), "")
	}
}

func ordinaryInvoiceIsBelowFCE(c *invoiceCheck) {
	minimum := c.creditMinimum()
	if c.DocTipo != docCUIT || !minimum.least.Sent() {
		return
	}
	if c.reaches(minimum.least, 1) {
		f := c.wrong("ImpTotal", money(c.inPesos())+" pesos", "menos de "+money(minimum.least))
		f.Text = "El importe, " + c.pesosInWords() + ", alcanza el de la FCE, " + strings.TrimSuffix(minimum.inWords(), ",") + ": puede corresponder una, según la categoría de emisor y receptor"
	}
}
