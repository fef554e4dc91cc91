package rules_test

import (
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// dayOf and moved compute with days, independently of package wsfev1.
func dayOf(d wsfev1.Date) time.Time {
	day, err := time.Parse("20060102", string(d))
	if err != nil {
		panic(err)
	}
	return day
}

func moved(d wsfev1.Date, days int) wsfev1.Date {
	return wsfev1.Date(dayOf(d).AddDate(0, 0, days).Format("20060102"))
}

func (g *generator) day(label string, least, most wsfev1.Date) wsfev1.Date {
	days := dayOf(most).Sub(dayOf(least)).Hours() / 24
	return moved(least, int(g.between(label, 0, int64(days))))
}

// window returns the days that CbteFch may have (docs/sources.md#dates).
func (g *generator) window(concepto int32) (least, most wsfev1.Date) {
	switch {
	case g.request.caea:
		return g.validFrom, min(g.validTo, g.today)
	case wsfev1.IsFCE(g.cbteTipo) && wsfev1.IsNote(g.cbteTipo):
		return moved(g.today, -5), g.today
	case wsfev1.IsFCE(g.cbteTipo):
		least, most = moved(g.today, -5), moved(g.today, 1)
	case concepto == 1:
		least, most = moved(g.today, -5), moved(g.today, 5)
	default:
		return moved(g.today, -10), moved(g.today, 10)
	}
	for most[:6] != g.today[:6] {
		most = moved(most, -1)
	}
	return least, most
}

// drawConcepto leaves 1 out where the invoice before has a date that services alone
// may have.
func (g *generator) drawConcepto(d *wsfev1.FECAEADetRequest) {
	_, most := g.window(1)
	switch {
	case g.concepto != 0:
		d.Concepto = g.concepto
	case g.class == wsfev1.Class49 || g.must&(buyers|servicePeriod) != 0:
		d.Concepto = 1
	case g.last > most:
		d.Concepto = pick(g, "Concepto", int32(2), 3)
	default:
		d.Concepto = pick(g, "Concepto", int32(1), 2, 3)
	}
}

func (g *generator) drawCbteFch(d *wsfev1.FECAEADetRequest) {
	least, most := g.window(d.Concepto)
	effective := g.today
	if g.request.caea || g.last > g.today || g.has(dated, "dated", 2) {
		d.CbteFch = g.day("CbteFch", max(least, g.last), most)
		effective = d.CbteFch
	}
	g.last = effective
}

// drawServiceDates draws the period of a service, and the day on which an FCE is
// due. In the notes of FCE that day is only for annulments (docs/sources.md#fce, code
// 10175), so notes about services do without it too.
func (g *generator) drawServiceDates(d *wsfev1.FECAEADetRequest) {
	fce, note := wsfev1.IsFCE(g.cbteTipo), wsfev1.IsNote(g.cbteTipo)
	payable := g.last
	if fce {
		payable = max(payable, g.today)
	}
	due := g.day("FchVtoPago", payable, moved(payable, 120))
	annuls := hasOpcional(d, "22", "S")
	period := d.Concepto != 1
	if !period && !fce && (!g.quiet || !g.request.caea) {
		period = g.has(servicePeriod, "service dates of products", 4)
	}
	if period {
		d.FchServDesde = g.day("FchServDesde", moved(g.last, -60), moved(g.last, 60))
		d.FchServHasta = g.day("FchServHasta", d.FchServDesde, moved(d.FchServDesde, 60))
	}
	switch {
	case fce && note && !annuls:
	case fce && note && !period:
		d.FchVtoPago = pick(g, "due", due, "")
	case fce || period:
		d.FchVtoPago = due
	}
}

// drawValidity draws the fortnight of the CAEA: today's or one not long ago.
func (g *generator) drawValidity() {
	day := g.today
	if !g.quiet {
		day = moved(day, -int(g.between("days since the CAEA", 0, 40)))
	}
	first := dayOf(day[:6] + "01")
	if day[6:] > "15" {
		g.validFrom, g.validTo = day[:6]+"16", wsfev1.Date(first.AddDate(0, 1, -1).Format("20060102"))
		return
	}
	g.validFrom, g.validTo = day[:6]+"01", day[:6]+"15"
}

// drawAdvance draws what an invoice has under a CAEA. The moment of issue is due
// since 2026-08-01 (docs/sources.md#contingency).
func (g *generator) drawAdvance(d *wsfev1.FECAEADetRequest) {
	d.CAEA = g.text("CAEA", `[1-9][0-9]{13}`)
	if !g.since("20260801") && !g.quiet && g.between("contingency", 0, 1) == 0 {
		return
	}
	apart := int64(5)
	switch {
	case !g.quiet:
		apart = 20 // further than it should be, which is remarked and no more
	case d.Concepto != 1:
		apart = 10
	}
	day := moved(d.CbteFch, int(g.between("days to CbteFchHsGen", -apart, apart)))
	clock := time.Unix(g.between("clock", 0, 86399), 0).UTC().Format("150405")
	d.CbteFchHsGen = wsfev1.Timestamp(string(day) + clock)
}
