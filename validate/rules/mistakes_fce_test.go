package rules_test

import (
	"slices"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/wsfev1"
)

// valor sets the Valor of an Id, which is added where it is not there.
func valor(id, value string) func(*issuing, *detail) {
	return func(_ *issuing, d *detail) {
		for i := range d.Opcionales.Opcional {
			if o := &d.Opcionales.Opcional[i]; o.Id == id {
				o.Valor = value
				return
			}
		}
		d.Opcionales.Opcional = append(d.Opcionales.Opcional, wsfev1.Opcional{Id: id, Valor: value})
	}
}

// without takes an Id away, and puts a trade reference there so that Opcionales
// does not end up empty.
func without(id string) func(*issuing, *detail) {
	return func(_ *issuing, d *detail) {
		d.Opcionales.Opcional = slices.DeleteFunc(d.Opcionales.Opcional, func(o wsfev1.Opcional) bool { return o.Id == id })
		if len(d.Opcionales.Opcional) == 0 {
			d.Opcionales = opcionales("23", "OC1")
		}
	}
}

var (
	ofCredits     = wish{types: credits}
	ofCreditNotes = wish{types: creditNotes, never: annulment}
)

var mistakesInFCE = []mistake{
	{name: "an FCE without CBU", of: ofCredits, cae: "10168", caea: "1465", change: without("2101")},
	{name: "a CBU of 21 digits", of: ofCredits, cae: "10165", caea: "1462", change: valor("2101", "012345678901234567890")},
	{name: "a CBU with a letter", of: ofCredits, cae: "10165", caea: "1462", change: valor("2101", "012345678901234567890X")},
	{name: "a short alias", of: ofCredits, cae: "10166", caea: "1463", change: valor("2102", "abcde")},
	{name: "an FCE without transfer", of: ofCredits, cae: "10216", caea: "1515", change: without("27")},
	{name: "an unknown transfer", of: ofCredits, cae: "10215", caea: "1514", change: valor("27", "XXX")},
	{name: "a transfer of two letters", of: ofCredits, cae: "10214", caea: "1513", change: valor("27", "SC")},
	{name: "an FCE that annuls", of: ofCredits, cae: "10171", caea: "1468", change: valor("22", "N")},
	{
		name: "an FCE of products that is not payable", of: wish{types: credits, concepto: 1}, cae: "10163", caea: "1460",
		change: func(_ *issuing, d *detail) { d.FchVtoPago = "" },
	},
	{
		name: "an FCE that was payable yesterday", of: wish{types: credits, at: validatetest.Noon}, cae: "10164", caea: "1461",
		change: func(r *issuing, d *detail) {
			redate(d, moved(r.today(), -1))
			d.FchVtoPago = moved(r.today(), -1)
		},
	},
	{name: "a note of FCE without its mark", of: ofCreditNotes, cae: "10170 10173", caea: "1467 1470", change: without("22")},
	{name: "a note of FCE of an unknown mark", of: ofCreditNotes, cae: "10167", caea: "1464", change: valor("22", "X")},
	{name: "a note of FCE with a CBU", of: ofCreditNotes, cae: "10172", caea: "1469", change: valor("2101", "0123456789012345678901")},
	{name: "a note of FCE with a transfer", of: ofCreditNotes, cae: "10172", change: valor("27", "SCA")},
	{
		name: "a note of FCE that is payable", of: wish{types: creditNotes, concepto: 1, never: annulment}, cae: "10175", caea: "1472",
		change: func(r *issuing, d *detail) { d.FchVtoPago = moved(r.today(), 30) },
	},
	{
		name: "a note of FCE to a voucher of nobody", of: ofCreditNotes, cae: "10151", caea: "808",
		change: asoc(func(a *wsfev1.CbteAsoc) { a.Cuit = "" }),
	},
	{
		name: "a note of FCE to a voucher of somebody else", of: ofCreditNotes, cae: "10155", caea: "1452",
		change: func(r *issuing, d *detail) {
			d.CbtesAsoc.CbteAsoc[0].Cuit = "30500010912"
			if r.issuer == 30500010912 {
				d.CbtesAsoc.CbteAsoc[0].Cuit = "20111111112"
			}
		},
	},
	{
		name: "a note of FCE to a voucher without a date", of: ofCreditNotes, cae: "10158", caea: "1455",
		change: asoc(func(a *wsfev1.CbteAsoc) { a.CbteFch = "" }),
	},
	{
		name: "a note of FCE before its voucher", of: wish{types: creditNotes, at: tenth, never: annulment}, cae: "10159", caea: "1456",
		change: func(r *issuing, d *detail) { d.CbtesAsoc.CbteAsoc[0].CbteFch = moved(r.dateOf(d), 1) },
	},
	{
		name: "a note of FCE to two", of: ofCreditNotes, cae: "10156", caea: "1453",
		change: func(_ *issuing, d *detail) {
			a := d.CbtesAsoc.CbteAsoc[0]
			a.Nro = a.Nro%99_999_998 + 1
			d.CbtesAsoc.CbteAsoc = append(d.CbtesAsoc.CbteAsoc, a)
		},
	},
	{
		name: "an FCE to nobody categorised", of: wish{types: wsfev1.IsFCE}, cae: "10178", caea: "1475",
		change: document(80, int64(wsfev1.NoCategorizado)),
	},
	{
		name: "data of FCE outside of it", cae: "10169", caea: "1466",
		of:     wish{types: kinds(1, 2, 3, 4, 6, 7, 8), never: optional},
		change: func(_ *issuing, d *detail) { d.Opcionales = opcionales("2101", "0123456789012345678901") },
	},
	{
		name: "a long trade reference", of: wish{types: wsfev1.IsFCE}, cae: "10189", caea: "1482",
		change: valor("23", "123456789012345678901234567890123456789012345678901"),
	},
	{
		name: "a trade reference twice", of: wish{types: wsfev1.IsFCE}, cae: "10190", caea: "1483",
		change: func(_ *issuing, d *detail) {
			again := wsfev1.Opcional{Id: "23", Valor: "OC1"}
			d.Opcionales.Opcional = append(d.Opcionales.Opcional, again, again)
		},
	},
}
