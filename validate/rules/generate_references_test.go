package rules_test

import (
	"slices"

	"github.com/fielato/fielato/wsfev1"
)

// associable are the types that a type may associate (docs/sources.md#associated-vouchers). Those that
// only appear with an activity of their group are drawn with it.
var associable = map[int32][]int32{
	1: {88, 991}, 6: {88, 991}, 51: {88, 991},
	2: {1, 2, 3, 4, 5, 34, 39, 60, 63, 991}, 3: {1, 2, 3, 4, 5, 34, 39, 60, 63, 991},
	7: {6, 7, 8, 9, 10, 35, 40, 61, 64, 991}, 8: {6, 7, 8, 9, 10, 35, 40, 61, 64, 991},
	12: {11, 12, 13, 15}, 13: {11, 12, 13, 15},
	52: {51, 52, 53, 54, 991}, 53: {51, 52, 53, 54, 991},
	201: {91, 990, 991, 993, 994, 995}, 206: {91, 990, 991, 993, 994, 995}, 211: {91, 990, 991, 993, 994, 995},
}

// reportable are further types that a plain invoice under a CAEA may refer to.
var reportable = []int32{91, 988, 990, 993, 994, 995, 996, 997}

// activityOf are activities of the groups that have delivery notes of their own
// (docs/sources.md#activities).
var activityOf = map[int32]int64{995: 101011, 993: 106110, 994: 106110, 88: 120091}

// drawReferences draws CbtesAsoc and PeriodoAsoc. A note has one of them at least.
func (g *generator) drawReferences(d *wsfev1.FECAEADetRequest) {
	fce, note := wsfev1.IsFCE(g.cbteTipo), wsfev1.IsNote(g.cbteTipo)
	switch {
	case fce && note:
		g.associateFCE(d)
	case note:
		withPeriod := g.has(period, "period", 2)
		if withPeriod {
			g.drawPeriod(d)
		}
		if !withPeriod || g.must&associated != 0 || !g.quiet && g.between("both", 0, 7) == 0 {
			may := associable[g.cbteTipo]
			if g.request.caea && (g.cbteTipo == 52 || g.cbteTipo == 53) {
				may = may[:4] // no delivery notes
			}
			g.associate(d, may)
		}
	default:
		may := associable[g.cbteTipo]
		settlement := g.cbteTipo == 63 || g.cbteTipo == 64
		if g.request.caea && settlement {
			may = []int32{63, 64, 1, 6}
		}
		if may == nil || g.must&associated == 0 && g.quiet || !g.has(associated, "associated", 3) {
			return
		}
		if g.request.caea && !fce && !settlement {
			may = append(slices.Clone(may), reportable...)
		}
		if g.quiet {
			may = []int32{991}
		}
		g.associate(d, may)
	}
}

// associate draws associated vouchers: one kind only, so that a group's delivery
// notes are not mixed.
func (g *generator) associate(d *wsfev1.FECAEADetRequest, may []int32) {
	tipo := pick(g, "CbteAsoc.Tipo", may...)
	d.CbtesAsoc = &wsfev1.CbtesAsoc{}
	first := g.between("CbteAsoc.Nro", 1, 99_999_990)
	for i := range g.between("associated", 1, 3) {
		a := wsfev1.CbteAsoc{Tipo: tipo, PtoVta: int32(g.between("CbteAsoc.PtoVta", 1, 99998)), Nro: first + i}
		if g.between("Cuit", 0, 1) == 1 {
			a.Cuit = g.cuit("CbteAsoc.Cuit", 20, 30).String()
		}
		switch g.between("CbteAsoc.CbteFch", 0, 3) {
		case 0:
			a.CbteFch = g.day("associated day", moved(g.last, -400), g.last)
		case 1: // later, but of the month of the note (code 10210)
			a.CbteFch = g.day("associated day", g.last, max(g.last, g.last[:6]+"28"))
		}
		d.CbtesAsoc.CbteAsoc = append(d.CbtesAsoc.CbteAsoc, a)
	}
}

// associateFCE draws what a note of an FCE is about: one invoice, or where it annuls
// the voucher that it cancels: a credit note cancels an invoice or a debit note, a
// debit note a credit note (docs/sources.md#fce).
func (g *generator) associateFCE(d *wsfev1.FECAEADetRequest) {
	invoice := g.cbteTipo - g.cbteTipo%5 + 1 // 201, 206, 211
	tipo, mark := invoice, "N"
	if g.has(annulment, "annulment", 3) {
		mark = "S"
		if tipo = invoice + 2; wsfev1.IsCreditNote(g.cbteTipo) {
			tipo = pick(g, "annulled", invoice, invoice+1)
		}
	}
	d.CbtesAsoc = &wsfev1.CbtesAsoc{CbteAsoc: []wsfev1.CbteAsoc{{
		Tipo: tipo, PtoVta: int32(g.between("CbteAsoc.PtoVta", 1, 99998)), Nro: g.between("CbteAsoc.Nro", 1, 99_999_998),
		Cuit: g.request.issuer.String(), CbteFch: g.day("associated day", moved(g.last, -60), g.last),
	}}}
	d.Opcionales = opcionales("22", mark)
}

// drawPeriod draws a period that ends by the date of the note. Over more than one
// month it is remarked where there are perceptions.
func (g *generator) drawPeriod(d *wsfev1.FECAEADetRequest) {
	p := &wsfev1.PeriodoAsoc{FchHasta: g.day("period until", moved(g.last, -400), g.last)}
	p.FchDesde = g.day("period from", moved(p.FchHasta, -200), p.FchHasta)
	if g.quiet {
		p.FchDesde = p.FchHasta
	}
	if !g.quiet && g.between("oldest", 0, 20) == 0 {
		p.FchDesde = "20060102"
	}
	d.PeriodoAsoc = p
}

// drawActivities draws activities of one group: the group of the delivery notes, or none.
func (g *generator) drawActivities(d *wsfev1.FECAEADetRequest) {
	if d.CbtesAsoc != nil {
		if id, ok := activityOf[d.CbtesAsoc.CbteAsoc[0].Tipo]; ok {
			if d.Concepto == 2 && id == 101011 {
				d.CbtesAsoc = nil // meat is no service
				return
			}
			d.Actividades = &wsfev1.Actividades{Actividad: []wsfev1.Actividad{{Id: id}}}
			return
		}
	}
	if !g.has(activities, "activities", 4) {
		return
	}
	d.Actividades = &wsfev1.Actividades{}
	all := []int64{620100, 471110, 561011, 620104, 681098, 11111}
	for _, id := range all[:g.between("activities", 1, int64(len(all)-1))] {
		d.Actividades.Actividad = append(d.Actividades.Actividad, wsfev1.Actividad{Id: id})
	}
}
