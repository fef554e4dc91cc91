package rules_test

import (
	"slices"

	"github.com/fielato/fielato/wsfev1"
)

// cuit draws a number of eleven digits whose check digit is right.
func (g *generator) cuit(label string, kinds ...int64) wsfev1.CUIT {
	body := pick(g, label+" kind", kinds...)*100_000_000 + g.between(label, 1_000_000, 99_999_999)
	for ; ; body++ {
		sum, rest := int64(0), body
		for _, weight := range []int64{2, 3, 4, 5, 6, 7, 2, 3, 4, 5} {
			sum += rest % 10 * weight
			rest /= 10
		}
		if check := (11 - sum%11) % 11; check < 10 {
			return wsfev1.CUIT(body*10 + check)
		}
	}
}

// receiver draws a CUIT that is not the issuer's.
func (g *generator) receiver(label string, kinds ...int64) int64 {
	for {
		if c := g.cuit(label, kinds...); c != g.request.issuer {
			return int64(c)
		}
	}
}

// otherDocuments are the kinds of document that are no CUIT, CUIL or CDI (docs/sources.md#tables).
// There is no 15 and no 88.
var otherDocuments = []int32{
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 19, 20, 21, 22, 23, 24, 89, 90, 91, 92, 93, 94, 95, 96,
}

// drawReceiver draws DocTipo and DocNro, and the range of numbers that only the
// anonymous of class B may have. The threshold binds class C under a CAEA alone
// (docs/sources.md#receiver).
func (g *generator) drawReceiver(d *wsfev1.FECAEADetRequest) {
	worth := thresholds(g, d)
	switch {
	case g.docTipo != 0:
		g.identify(d, g.docTipo)
	case g.class == wsfev1.ClassA || g.class == wsfev1.ClassALEY || wsfev1.IsFCE(g.cbteTipo):
		g.identify(d, 80)
	case g.class == wsfev1.Class49:
		g.identify(d, pick(g, "DocTipo", append([]int32{30, 30, 94, 91, 80, 80, 86, 87}, otherDocuments...)...))
	case g.must&(ranged|anonymous) == 0 && carriesPerception(d) && g.has(uncategorised, "uncategorised", 4):
		d.DocTipo, d.DocNro = 80, int64(wsfev1.NoCategorizado)
	case worth < 10_000 && g.class == wsfev1.ClassB && g.has(ranged, "ranged", 3):
		// On average each of them is below the threshold.
		d.DocTipo = 99
		d.CbteHasta = d.CbteDesde + max(worth, 1) + pick(g, "more numbers", 0, g.between("numbers", 0, 1000))
	case (worth == 0 || g.class == wsfev1.ClassC && !g.request.caea) && g.has(anonymous, "anonymous", 3):
		d.DocTipo = 99
	default:
		kinds := append([]int32{80, 80, 86, 87, 96}, otherDocuments...)
		if !g.quiet {
			kinds = append(kinds, 31)
		}
		g.identify(d, pick(g, "DocTipo", kinds...))
	}
}

// carriesPerception reports whether the invoice has what one to an uncategorised receiver
// needs (codes 10067 and 10283).
func carriesPerception(d *wsfev1.FECAEADetRequest) bool {
	return d.Tributos != nil && d.Tributos.Tributo[0].Id == 13
}

// identify gives a receiver a number of a kind of document. Funds (31) are known
// since 2026-07-02, and stand in classes whose receivers may be outside of IVA.
func (g *generator) identify(d *wsfev1.FECAEADetRequest, docTipo int32) {
	if docTipo == 31 && !g.since("20260702") {
		docTipo = 96
	}
	d.DocTipo = docTipo
	switch docTipo {
	case 80:
		d.DocNro = g.receiver("DocNro", 20, 23, 24, 27, 30, 33, 34)
	case 86:
		d.DocNro = g.receiver("DocNro", 20, 23, 24, 27)
	case 87:
		d.DocNro = g.receiver("DocNro", 50, 55)
	case 31:
		d.DocNro = g.between("DocNro", 1, 9999)
	default:
		d.DocNro = g.between("DocNro", 1, 999_999_999)
	}
}

// conditions are the IVA conditions of receivers by class (docs/sources.md#iva-condition).
var conditions = map[wsfev1.Class][]int32{
	wsfev1.ClassA:    {1, 6, 13, 16},
	wsfev1.ClassALEY: {1, 6, 13, 16},
	wsfev1.ClassB:    {4, 5, 7, 8, 9, 10, 15},
	wsfev1.ClassC:    {1, 4, 5, 6, 7, 8, 9, 10, 13, 15, 16},
	wsfev1.Class49:   {5},
}

// drawCondition leaves the condition out at times until 2026-11-30: until then that is only
// remarked.
func (g *generator) drawCondition(d *wsfev1.FECAEADetRequest) {
	if d.DocTipo != 31 && !g.quiet && !g.since("20261201") && !g.has(conditioned, "conditioned", 2) {
		return
	}
	id := pick(g, "CondicionIVAReceptorId", conditions[g.class]...)
	if d.DocTipo == 31 {
		id = 15
	}
	d.CondicionIVAReceptorId = &id
}

// drawBuyers draws several buyers, the receiver with the largest share among them
// (docs/sources.md#compradores).
func (g *generator) drawBuyers(d *wsfev1.FECAEADetRequest) {
	if g.request.caea || d.Concepto != 1 || g.class == wsfev1.Class49 || wsfev1.IsFCE(g.cbteTipo) ||
		!slices.Contains([]int32{80, 86, 87}, d.DocTipo) || d.DocNro == int64(wsfev1.NoCategorizado) || !g.has(buyers, "buyers", 4) {
		return
	}
	others := g.between("other buyers", 1, 4)
	largest := (100_00 + others) / (others + 1)
	share := g.between("share of the receiver", largest, 99_99)
	list := []wsfev1.Comprador{{DocTipo: d.DocTipo, DocNro: d.DocNro, Porcentaje: g.money("Porcentaje", share)}}
	rest := 100_00 - share
	for i := others; i > 0 && rest > 0; i-- {
		part := rest
		if i > 1 {
			part = max(rest/i, 1)
		}
		buyer := wsfev1.Comprador{DocTipo: pick(g, "buyer DocTipo", int32(80), 86, 87), Porcentaje: g.money("Porcentaje", part)}
		for buyer.DocNro == 0 || slices.ContainsFunc(list, func(c wsfev1.Comprador) bool { return c.DocNro == buyer.DocNro }) {
			buyer.DocNro = g.receiver("buyer DocNro", 20, 27, 30)
		}
		list = append(list, buyer)
		rest -= part
	}
	if g.between("receiver last", 0, 1) == 1 {
		slices.Reverse(list)
	}
	d.Compradores = &wsfev1.Compradores{Comprador: list}
}
