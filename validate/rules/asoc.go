package rules

import (
	"slices"

	"github.com/fielato/fielato/wsfev1"
)

// asocRules are about the vouchers that an invoice refers to.
var asocRules = []rule{
	{
		codes: codes{cae.obs(10041), caea.obs(801)},
		es:    "El comprobante asociado no figura entre los autorizados.",
		en:    "The associated electronic voucher is not known to the service.",
	},
	{
		codes: codes{cae.exc(10057), caea.exc(805)}, with: withCbtesAsoc, invoice: asocTypeIsPositive,
		es: "CbteAsoc.Tipo debe ser mayor que 0.",
		en: "CbteAsoc.Tipo is not greater than 0.",
	},
	{
		codes: codes{cae.exc(10058), caea.exc(802)}, with: withCbtesAsoc, invoice: asocPointOfSaleInRange,
		es: "CbteAsoc.PtoVta debe estar entre 1 y 99998.",
		en: "CbteAsoc.PtoVta is not between 1 and 99998.",
	},
	{
		codes: codes{cae.exc(10059), caea.exc(803)}, with: withCbtesAsoc, invoice: asocNumberInRange,
		es: "CbteAsoc.Nro debe estar entre 1 y 99999998.",
		en: "CbteAsoc.Nro is not between 1 and 99999998.",
	},
	{
		codes: codes{cae.exc(10060), caea.exc(804)}, with: withCbtesAsoc, invoice: asocsAreNotRepeated,
		es: "El comprobante asociado está repetido: infórmelo una vez.",
		en: "A voucher is associated more than once.",
	},
	{
		codes: codes{cae.exc(10062), caea.exc(800)}, with: withCbtesAsoc, invoice: asocsAreNotEmpty,
		es: "CbtesAsoc se informó vacío: agregue al menos un CbteAsoc, o no lo envíe.",
		en: "CbtesAsoc has no CbteAsoc.",
	},
	{
		codes: codes{cae.exc(10120), caea.obs(809)},
		es:    "El remito asociado no está registrado.",
		en:    "The associated delivery note is not registered.",
	},
	{
		codes: codes{cae.exc(10121), caea.obs(810)},
		es:    "El remito asociado no está confirmado.",
		en:    "The associated delivery note is not confirmed.",
	},
	{
		codes: codes{cae.exc(10122), caea.obs(811)},
		es:    "El receptor del remito asociado no es el del comprobante.",
		en:    "The associated delivery note is for another receiver.",
	},
	{
		codes: codes{cae.exc(10232)},
		es:    "El remito asociado ya fue usado en otro comprobante.",
		en:    "The associated delivery note belongs to another voucher already.",
	},
	{
		codes: codes{cae.exc(10151), caea.exc(808)}, from: "20180801", with: withCbtesAsoc, invoice: asocCuitHasElevenDigits,
		es: "CbteAsoc.Cuit debe tener 11 dígitos, sin guiones; en las notas FCE es obligatoria.",
		en: "CbteAsoc.Cuit has not 11 digits, or is missing in a note of a credit invoice MiPyME.",
	},
}

// asocs returns the vouchers to which the invoice refers. Rules with withCbtesAsoc
// may ask for them.
func (c *invoiceCheck) asocs() []wsfev1.CbteAsoc { return c.CbtesAsoc.CbteAsoc }

// asocList is where they are.
const asocList = "CbtesAsoc/CbteAsoc"

func asocTypeIsPositive(c *invoiceCheck) {
	for i := range c.asocs() {
		if tipo := c.asocs()[i].Tipo; tipo <= 0 {
			c.wrongItem(asocList, i, "Tipo", number(tipo), "")
		}
	}
}

func asocPointOfSaleInRange(c *invoiceCheck) {
	for i := range c.asocs() {
		if n := c.asocs()[i].PtoVta; n < 1 || n > maxPtoVta {
			c.wrongItem(asocList, i, "PtoVta", number(n), "")
		}
	}
}

// maxAsocNro is the largest number of an associated voucher. In the service it is one less than
// the largest number of an invoice.
const maxAsocNro = 99999998

func asocNumberInRange(c *invoiceCheck) {
	for i := range c.asocs() {
		if n := c.asocs()[i].Nro; n < 1 || n > maxAsocNro {
			c.wrongItem(asocList, i, "Nro", number(n), "")
		}
	}
}

// asocKey identifies an associated voucher.
type asocKey struct {
	tipo, ptoVta int32
	nro          int64
}

func asocKeyOf(a *wsfev1.CbteAsoc) asocKey { return asocKey{a.Tipo, a.PtoVta, a.Nro} }

// fewAsocs are compared with each other; more of them are looked up in a map, or a
// long list would cost its square.
const fewAsocs = 8

func asocsAreNotRepeated(c *invoiceCheck) {
	var seen map[asocKey]struct{}
	if len(c.asocs()) > fewAsocs {
		seen = make(map[asocKey]struct{}, len(c.asocs()))
	}
	for i := range c.asocs() {
		key := asocKeyOf(&c.asocs()[i])
		if key.tipo <= 0 || key.ptoVta <= 0 || key.nro <= 0 {
			continue // rules 10057 to 10059: two that lack their numbers are not the same
		}
		var repeated bool
		if seen != nil {
			_, repeated = seen[key]
			seen[key] = struct{}{}
		} else {
			repeated = slices.ContainsFunc(c.asocs()[:i], func(a wsfev1.CbteAsoc) bool { return asocKeyOf(&a) == key })
		}
		if repeated {
			f := c.find(c.item(asocList, i, ""))
			f.Got = number(key.tipo) + "-" + number(key.ptoVta) + "-" + number(key.nro)
			f.Text = "El comprobante asociado, " + voucher(key.tipo) + ", punto de venta " + number(key.ptoVta) + ", número " + number(key.nro) + ", está repetido: infórmelo una vez"
		}
	}
}

func asocsAreNotEmpty(c *invoiceCheck) {
	if len(c.asocs()) == 0 {
		c.find(c.pointer(asocList))
	}
}

func asocCuitHasElevenDigits(c *invoiceCheck) {
	for i := range c.asocs() {
		switch cuit := c.asocs()[i].Cuit; {
		case cuit == "" && fceNote(c.CbteTipo):
			c.wrongItem(asocList, i, "Cuit", "", "la CUIT del emisor del comprobante asociado")
		case cuit != "" && !areDigits(cuit, 11):
			c.wrongItem(asocList, i, "Cuit", cuit, "11 dígitos")
		}
	}
}

// areDigits reports whether a text is so many digits and nothing else.
func areDigits(text string, length int) bool {
	if len(text) != length {
		return false
	}
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}
