package rules

import (
	"slices"
	"strconv"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// fceAsocRules are about the vouchers to which the notes of credit invoices MiPyME
// refer. An empty CbtesAsoc is rule 10062's, a type outside of the matrix rule 10040's.
var fceAsocRules = []rule{
	{
		codes: codes{cae.exc(10153), caea.exc(1450)}, types: fceNote, invoice: creditNoteHasAsocs,
		es: "Una nota FCE lleva CbtesAsoc: informe el comprobante que ajusta o anula.",
		en: "A note of a credit invoice MiPyME has no CbtesAsoc.",
	},
	{
		codes: codes{cae.exc(10154), caea.exc(1451)},
		es:    "El opcional 22 debe ser S si el comprador rechazó el comprobante asociado, y N si no.",
		en:    "Opcional 22 does not tell whether the buyer rejected the associated voucher.",
	},
	{
		codes: codes{cae.exc(10155), caea.exc(1452)}, types: fceNote, with: withCbtesAsoc, invoice: asocsAreOfTheIssuer,
		es: "CbteAsoc.Cuit debe ser la CUIT del emisor de la nota.",
		en: "CbteAsoc.Cuit is not the CUIT of the issuer.",
	},
	{
		codes: codes{cae.exc(10156), caea.exc(1453)}, types: fceNote, with: withCbtesAsoc, invoice: noteAdjustsOneInvoice,
		es: oneInvoiceES, en: oneInvoiceEN,
	},
	{
		// 10157 can be read as admitting a delivery note in the place of the invoice.
		codes: codes{cae.exc(10156), caea.exc(1453)}, types: fceNote, level: validate.Observe, with: withCbtesAsoc, invoice: noteAdjustsADelivery,
		also: []Source{byWeakGround},
		es:   oneInvoiceES, en: oneInvoiceEN,
	},
	{
		// It observes: 10040 admits notes here, and this rule delivery notes, which 10040 does not.
		codes: codes{cae.exc(10157), caea.exc(1454)}, types: fceNote, level: validate.Observe, with: withCbtesAsoc, invoice: noteAdjustsAnInvoice,
		also: []Source{byWeakGround},
		es:   "Una nota FCE que no es de anulación se asocia a la factura, no a otra nota.",
		en:   "A note that is no annulment is associated with another note.",
	},
	{
		codes: codes{cae.exc(10158), caea.exc(1455)}, types: fceNote, with: withCbtesAsoc, invoice: creditAsocsAreDated,
		es: "Falta CbteAsoc.CbteFch: en una nota FCE es obligatoria, aaaammdd.",
		en: "CbteAsoc.CbteFch is missing in a note of a credit invoice MiPyME.",
	},
	{
		codes: codes{cae.exc(10159), caea.exc(1456)}, types: fceNote, with: withCbtesAsoc, invoice: creditAsocsAreNotLater,
		es: "La fecha del comprobante asociado es posterior a la de la nota FCE.",
		en: "The associated voucher is later than the note of a credit invoice MiPyME.",
	},
	{
		codes: codes{cae.exc(10160), caea.exc(1457)},
		es:    "No hay un comprobante FCE autorizado como el asociado, con esa fecha.",
		en:    "There is no authorised voucher like the associated one, of that date.",
	},
	{
		codes: codes{caea.exc(1488)},
		es:    "No hay un comprobante FCE autorizado como el asociado.",
		en:    "There is no authorised voucher like the associated one.",
	},
	{
		// What kind of voucher an annulment refers to is checked by 10186, 10187 and 10193.
		codes: codes{cae.exc(10183), caea.exc(1478)},
		es:    "El emisor o el receptor del comprobante asociado no es el de la nota FCE.",
		en:    "The associated voucher has another issuer or receiver than the note.",
	},
	{
		codes: codes{cae.exc(10186), caea.exc(1480)}, types: all(fceNote, ofClass(wsfev1.ClassA)), with: withCbtesAsoc, invoice: annulmentIsOfTheOtherKind,
		es: wrongAnnulmentSpanish,
		en: wrongAnnulmentEnglish,
	},
	{
		codes: codes{cae.exc(10187), caea.exc(1481)}, types: all(fceNote, ofClass(wsfev1.ClassB)), with: withCbtesAsoc, invoice: annulmentIsOfTheOtherKind,
		es: wrongAnnulmentSpanish,
		en: wrongAnnulmentEnglish,
	},
	{
		codes: codes{cae.exc(10193), caea.exc(1486)}, types: all(fceNote, ofClass(wsfev1.ClassC)), with: withCbtesAsoc, invoice: annulmentIsOfTheOtherKind,
		es: wrongAnnulmentSpanish,
		en: wrongAnnulmentEnglish,
	},
}

const (
	oneInvoiceES = "Una nota FCE que no es de anulación asocia siempre una factura FCE, y una sola."
	oneInvoiceEN = "A note that is no annulment is associated with no credit invoice MiPyME, or with more than one."

	wrongAnnulmentSpanish = "Una factura o nota de débito FCE se anula con una nota de crédito, y una nota de crédito con una de débito."
	wrongAnnulmentEnglish = "An invoice or debit note is not annulled by a credit note, or a credit note not by a debit note."
)

// annuls returns the note's own statement in opcional 22, and whether it has one.
func (c *invoiceCheck) annuls() (annuls, said bool) {
	if c.Opcionales == nil {
		return false, false
	}
	for i := range c.opcionales() {
		if o := &c.opcionales()[i]; o.Id == annulment && (o.Valor == "S" || o.Valor == "N") {
			return o.Valor == "S", true
		}
	}
	return false, false
}

func creditNoteHasAsocs(c *invoiceCheck) {
	if c.CbtesAsoc == nil {
		c.find(c.pointer("CbtesAsoc"))
	}
}

// asocsAreOfTheIssuer leaves a Cuit of other than 11 digits to rule 10151.
func asocsAreOfTheIssuer(c *invoiceCheck) {
	for i := range c.asocs() {
		cuit := c.asocs()[i].Cuit
		if !areDigits(cuit, 11) {
			continue
		}
		if n, err := strconv.ParseInt(cuit, 10, 64); err != nil || wsfev1.CUIT(n) != c.Issuer {
			f := c.wrongItem(asocList, i, "Cuit", cuit, c.Issuer.String())
			f.Text = "CbteAsoc.Cuit es " + cuit + ": debe ser la del emisor de la nota, " + c.Issuer.String()
		}
	}
}

// noteAdjustsOneInvoice leaves an empty list to rule 10062, a type that is none to 10057, and
// delivery notes to noteAdjustsADelivery.
func noteAdjustsOneInvoice(c *invoiceCheck) {
	invoices, others := c.adjusted()
	switch {
	case invoices > 1:
		f := c.wrong(asocList, number(int32(invoices))+" facturas", "1")
		f.Text = "Se asociaron " + number(int32(invoices)) + " facturas: una nota FCE que no es de anulación asocia una sola"
	case invoices == 0 && len(others) > 0 && !slices.ContainsFunc(others, func(tipo int32) bool { return tipo <= 0 || wsfev1.IsRemito(tipo) }):
		c.noInvoiceAmong(others)
	}
}

func noteAdjustsADelivery(c *invoiceCheck) {
	if invoices, others := c.adjusted(); invoices == 0 && slices.ContainsFunc(others, wsfev1.IsRemito) {
		c.noInvoiceAmong(others)
	}
}

// adjusted counts the invoices to which a note refers that is no annulment, and lists the types of
// the other vouchers. Of any other note it returns none.
func (c *invoiceCheck) adjusted() (invoices int, others []int32) {
	if annuls, said := c.annuls(); !said || annuls {
		return 0, nil
	}
	for i := range c.asocs() {
		if tipo := c.asocs()[i].Tipo; fceInvoice(tipo) {
			invoices++
		} else {
			others = append(others, tipo)
		}
	}
	return invoices, others
}

func (c *invoiceCheck) noInvoiceAmong(others []int32) {
	f := c.wrong(asocList, number(others[0]), "una factura FCE")
	f.Text = "Se asoció " + aVoucher(others[0]) + " y ninguna factura: una nota FCE que no es de anulación asocia la factura FCE que ajusta"
}

func noteAdjustsAnInvoice(c *invoiceCheck) {
	if annuls, said := c.annuls(); !said || annuls {
		return
	}
	for i := range c.asocs() {
		if tipo := c.asocs()[i].Tipo; fceNote(tipo) && wsfev1.MayAssociate(c.CbteTipo, tipo) {
			f := c.wrongItem(asocList, i, "Tipo", number(tipo), "")
			f.Text = "Se asoció " + aVoucher(tipo) + ": una nota FCE que no es de anulación se asocia a la factura, no a otra nota"
		}
	}
}

func creditAsocsAreDated(c *invoiceCheck) {
	for i := range c.asocs() {
		if c.asocs()[i].CbteFch == "" {
			c.find(c.item(asocList, i, "CbteFch"))
		}
	}
}

func creditAsocsAreNotLater(c *invoiceCheck) {
	day, ok := c.voucherDay()
	if !ok {
		return
	}
	for i := range c.asocs() {
		if d := c.asocs()[i].CbteFch; d > day && d.Valid() {
			f := c.wrongItem(asocList, i, "CbteFch", string(d), "a lo sumo "+string(day))
			f.Text = "El comprobante asociado es del " + validate.DayText(d) + ", posterior a la nota FCE, del " + validate.DayText(day)
		}
	}
}

// annulmentIsOfTheOtherKind holds credit notes against invoices and debit notes,
// debit notes against credit notes.
func annulmentIsOfTheOtherKind(c *invoiceCheck) {
	if annuls, said := c.annuls(); !said || !annuls {
		return
	}
	for i := range c.asocs() {
		tipo := c.asocs()[i].Tipo
		if wsfev1.MayAssociate(c.CbteTipo, tipo) && wsfev1.IsCreditNote(tipo) == wsfev1.IsCreditNote(c.CbteTipo) {
			f := c.wrongItem(asocList, i, "Tipo", number(tipo), "")
			if f.Text = capital(aVoucher(c.CbteTipo)) + " no anula " + aVoucher(tipo); wsfev1.IsCreditNote(tipo) {
				f.Text += ": se anula con una nota de débito"
			} else {
				f.Text += ": se anula con una nota de crédito"
			}
		}
	}
}
