package rules_test

import (
	"slices"

	"github.com/fielato/fielato/wsfev1"
)

// rates are the rates of IVA in thousandths, by Id (docs/sources.md#tables).
var rates = map[int32]int64{3: 0, 4: 105, 5: 210, 6: 270, 8: 50, 9: 25}

// cents are the amounts of an invoice while it is drawn.
type cents struct{ total, notTaxed, net, exempt, tributes, iva int64 }

// isFreeNote reports whether the IVA figures of the type are not checked (docs/sources.md#fields);
// under a CAEA the list is shorter.
func (g *generator) isFreeNote() bool {
	return slices.Contains([]int32{2, 3, 7, 8}, g.cbteTipo) || !g.request.caea && (g.cbteTipo == 52 || g.cbteTipo == 53)
}

// drawInvoiceAmounts draws the amounts, which add up within the margin of error
// (docs/sources.md#tolerance).
func (g *generator) drawInvoiceAmounts(d *wsfev1.FECAEADetRequest) {
	var c cents
	switch {
	case g.class == wsfev1.ClassC:
		c.net = g.amount("ImpNeto")
	case g.class == wsfev1.Class49 && g.must&(ivaDetail|ivaDue) == 0 && g.has(usedByMono, "monotributista", 3):
		c.notTaxed = g.amount("ImpTotConc")
	default:
		if g.has(ivaDetail, "ivaDetail", 2) || g.must&ivaDue != 0 {
			g.drawIva(d, &c)
		}
		c.notTaxed, c.exempt = g.amount("ImpTotConc"), g.amount("ImpOpEx")
	}
	if g.has(tributes, "tributes", 3) || g.must&uncategorised != 0 {
		g.drawTributes(d, &c)
	}
	c.total = g.near("ImpTotal", c.notTaxed+c.net+c.exempt+c.tributes+c.iva, 1, 0)
	d.ImpTotal, d.ImpTotConc, d.ImpNeto = g.money("ImpTotal", c.total), g.money("ImpTotConc", c.notTaxed), g.money("ImpNeto", c.net)
	d.ImpOpEx, d.ImpTrib, d.ImpIVA = g.money("ImpOpEx", c.exempt), g.money("ImpTrib", c.tributes), g.money("ImpIVA", c.iva)
}

// amount draws an amount in cents, tiny, usual, around the threshold of consumers
// or large: nine of the largest have 13 digits before the point. What must stay
// below the threshold does so even at the highest rate of exchange.
func (g *generator) amount(label string) int64 {
	if g.must&(anonymous|ranged) != 0 {
		return g.between(label, 0, 30_00)
	}
	switch g.between("size of "+label, 0, 5) {
	case 0:
		return 0
	case 1:
		return g.between(label, 1, 99)
	case 2:
		return g.between(label, thresholdCents-2, thresholdCents+2)
	case 3:
		return g.between(label, 1_000_000_000_00, 99_000_000_000_00)
	}
	return g.between(label, 1, 999_999_99)
}

// near draws an informed amount that the service takes for the calculated one: the
// same, or apart by a cent for each part or by 0.01 %, but never below least.
func (g *generator) near(label string, calculated, parts, least int64) int64 {
	if g.quiet {
		return calculated
	}
	informed := calculated
	switch g.between("margin of "+label, 0, 7) {
	case 0:
		informed += parts
	case 1:
		informed -= parts
	case 2:
		informed += calculated / 10_001 // a fraction of either amount
	case 3:
		informed -= calculated / 10_001
	}
	if informed < least {
		return calculated
	}
	return informed
}

// drawIva draws the IVA by rate. Where any rate is above 0 %, ImpIVA is (code 10018).
func (g *generator) drawIva(d *wsfev1.FECAEADetRequest, c *cents) {
	ids := []int32{3, 4, 5, 6, 8, 9}
	for i := range ids {
		j := i + int(g.between("rate", 0, int64(len(ids)-1-i)))
		ids[i], ids[j] = ids[j], ids[i]
	}
	ids = ids[:g.between("rates", 1, int64(len(ids)))]
	if g.must&ivaDue != 0 && ids[0] == 3 {
		ids[0] = 5
		ids = ids[:1]
	}
	if g.never&ivaDue != 0 {
		ids = []int32{3}
	}
	d.Iva = &wsfev1.Iva{}
	var bases, amounts int64
	due := int64(0)
	for i, id := range ids {
		base := max(g.amount("BaseImp"), 1)
		amount := g.taxOn(base, rates[id])
		if id != 3 {
			due = 1
		}
		if i == len(ids)-1 && due == 1 && amounts+amount == 0 {
			i = slices.IndexFunc(ids, func(id int32) bool { return id != 3 })
			amount = g.raise(d, i, amount)
			amounts++
		} else {
			amounts += amount
		}
		bases += base
		d.Iva.AlicIva = append(d.Iva.AlicIva, wsfev1.AlicIva{Id: id, BaseImp: g.money("BaseImp", base), Importe: g.money("Importe", amount)})
	}
	n := int64(len(ids))
	c.net, c.iva = g.near("ImpNeto", bases, n, 1), g.near("ImpIVA", amounts, n, due)
	if due == 0 {
		c.iva = 0
	}
	if g.isFreeNote() && !g.quiet {
		g.drawFreeIva(d, c)
	}
}

// raise adds a cent to the IVA of the rate at i, which is none so far: to one that
// stands already, or to the amount of the one that is about to.
func (g *generator) raise(d *wsfev1.FECAEADetRequest, i int, amount int64) int64 {
	if i < len(d.Iva.AlicIva) {
		d.Iva.AlicIva[i].Importe = wsfev1.AmountOf(1, 2)
		return amount
	}
	return 1
}

// taxOn draws the tax that an invoice informs for a base and a rate: a whole number of cents beside
// the exact product, or one apart by 0.01 %.
func (g *generator) taxOn(base, rate int64) int64 {
	whole, rest := base*rate/1000, base*rate%1000
	if g.quiet {
		if rest > 500 || rest == 500 && whole%2 == 1 {
			whole++
		}
		return whole
	}
	switch g.between("rounding", 0, 3) {
	case 0:
		if rest > 0 {
			return whole + 1
		}
		return g.near("Importe", whole, 1, 0)
	case 1:
		return whole + whole/10_001
	case 2:
		return whole - max(whole/10_001-1, 0)
	}
	return whole
}

// drawFreeIva uses the freedom that notes have in IVA: a rate without Id, a base that is
// 0 or left out, an amount that is no rate of anything.
func (g *generator) drawFreeIva(d *wsfev1.FECAEADetRequest, c *cents) {
	if c.iva == 0 {
		return
	}
	var amounts int64
	for i := range d.Iva.AlicIva {
		a := &d.Iva.AlicIva[i]
		amount := g.amount("free Importe")
		if i == 0 {
			amount = max(amount, 1)
			a.Id = pick(g, "free Id", a.Id, 0)
		}
		a.BaseImp = pick(g, "free BaseImp", a.BaseImp, wsfev1.Amount{}, wsfev1.AmountOf(0, 2))
		a.Importe = g.money("Importe", amount)
		amounts += amount
	}
	c.iva, c.net = amounts, g.amount("free ImpNeto")
}

// tributeIds are the ids of tributes in docs/sources.md#tables.
var tributeIds = []int16{1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 99}

// drawTributes draws Tributos that come to more than 0. Base times rate is not
// checked (docs/sources.md#fields).
func (g *generator) drawTributes(d *wsfev1.FECAEADetRequest, c *cents) {
	d.Tributos = &wsfev1.Tributos{}
	n := g.between("tributes", 1, 3)
	var sum int64
	for i := range n {
		t := wsfev1.Tributo{Id: pick(g, "Tributo.Id", tributeIds...)}
		amount := g.amount("Tributo.Importe")
		if i == 0 {
			amount = max(amount, 1)
			if g.must&uncategorised != 0 || g.between("perception", 0, 3) == 0 {
				t.Id = 13
			}
		}
		t.BaseImp = g.money("Tributo.BaseImp", g.amount("Tributo.BaseImp"))
		t.Alic = g.money("Alic", g.between("Alic", 0, 999_99))
		t.Importe = g.money("Tributo.Importe", amount)
		if t.Id == 99 || wsfev1.IsFCE(g.cbteTipo) || g.between("described", 0, 1) == 1 {
			t.Desc = g.text("Desc", `[A-Za-z][A-Za-zñ ]{0,40}`)
		}
		d.Tributos.Tributo = append(d.Tributos.Tributo, t)
		sum += amount
	}
	c.tributes = g.near("ImpTrib", sum, n, 1)
}
