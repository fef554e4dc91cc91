package rules_test

import (
	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/wsfev1"
)

// asoc changes the first associated voucher.
func asoc(change func(a *wsfev1.CbteAsoc)) func(*issuing, *detail) {
	return func(_ *issuing, d *detail) { change(&d.CbtesAsoc.CbteAsoc[0]) }
}

func ofType(tipo int32) func(*issuing, *detail) {
	return asoc(func(a *wsfev1.CbteAsoc) { a.Tipo = tipo })
}

// adjusting are notes, and invoices that associate vouchers.
func adjusting(types func(int32) bool) wish {
	return wish{types: types, must: associated, never: period}
}

// associating are the types that may associate vouchers, without the FCE.
func associating(t int32) bool { return plain(t) && associable[t] != nil }

var mistakesInReferences = []mistake{
	{
		name: "a note of nothing", of: wish{types: plainNotes}, cae: "10197", caea: "1491",
		change: func(_ *issuing, d *detail) { d.CbtesAsoc, d.PeriodoAsoc = nil, nil },
	},
	{
		name: "a note of FCE of nothing", of: wish{types: creditNotes}, cae: "10153", caea: "1450",
		change: func(_ *issuing, d *detail) { d.CbtesAsoc = nil },
	},
	{
		name: "associated vouchers that are none", of: adjusting(plainNotes), cae: "10062", caea: "800",
		change: func(_ *issuing, d *detail) { d.CbtesAsoc.CbteAsoc = nil },
	},
	{name: "a note of class A to one of B", of: adjusting(kinds(2, 3)), cae: "10040", caea: "806", change: ofType(6)},
	{name: "a note of class B to one of A", of: adjusting(kinds(7, 8)), cae: "10040", caea: "806", change: ofType(1)},
	{name: "a note of class C to one of B", of: adjusting(kinds(12, 13)), cae: "10040", caea: "806", change: ofType(6)},
	{name: "a note of class ALEY to one of A", of: adjusting(kinds(52, 53)), cae: "10040", caea: "806", change: ofType(1)},
	{name: "an invoice to an invoice", of: adjusting(kinds(1, 6, 51)), cae: "10040", caea: "806", change: ofType(1)},
	{name: "a note of FCE to one of another class", of: wish{types: kinds(202, 203, 212, 213), never: annulment}, cae: "10040", caea: "812", change: ofType(206)},
	{name: "an FCE to an invoice", of: adjusting(credits), cae: "10040", caea: "812", change: ofType(1)},
	{
		name: "a type that associates nothing", of: wish{types: kinds(4, 5, 9, 10, 11, 15, 34, 35, 49, 54, 60, 63, 64)}, cae: "10040", caea: "807",
		change: func(_ *issuing, d *detail) {
			d.CbtesAsoc = &wsfev1.CbtesAsoc{CbteAsoc: []wsfev1.CbteAsoc{{Tipo: 1, PtoVta: 1, Nro: 1}}}
		},
	},
	{
		name: "a voucher twice", of: adjusting(associating), cae: "10060", caea: "804",
		change: func(_ *issuing, d *detail) {
			d.CbtesAsoc.CbteAsoc = append(d.CbtesAsoc.CbteAsoc, d.CbtesAsoc.CbteAsoc[0])
		},
	},
	{name: "a voucher of type 0", of: adjusting(plainNotes), cae: "10057", caea: "805", change: ofType(0)},
	{
		name: "a voucher of point of sale 0", of: adjusting(wsfev1.IsNote), cae: "10058", caea: "802",
		change: asoc(func(a *wsfev1.CbteAsoc) { a.PtoVta = 0 }),
	},
	{
		name: "a voucher of point of sale 99999", of: adjusting(wsfev1.IsNote), cae: "10058", caea: "802",
		change: asoc(func(a *wsfev1.CbteAsoc) { a.PtoVta = 99999 }),
	},
	{
		name: "a voucher of number 0", of: adjusting(wsfev1.IsNote), cae: "10059", caea: "803",
		change: asoc(func(a *wsfev1.CbteAsoc) { a.Nro = 0 }),
	},
	{
		name: "a voucher of number 99999999", of: adjusting(wsfev1.IsNote), cae: "10059", caea: "803",
		change: asoc(func(a *wsfev1.CbteAsoc) { a.Nro = 99_999_999 }),
	},
	{
		name: "a voucher of a short CUIT", of: adjusting(associating), cae: "10151", caea: "808",
		change: asoc(func(a *wsfev1.CbteAsoc) { a.Cuit = "2011111111" }),
	},
	{
		name: "a voucher of no day of the calendar", of: adjusting(associating), cae: "10213", caea: "1504",
		change: asoc(func(a *wsfev1.CbteAsoc) { a.CbteFch = "20260230" }),
	},
	{
		name: "a voucher of a later month", of: wish{types: plainNotes, at: validatetest.Noon, must: associated, never: period}, cae: "10210", caea: "1501",
		change: asoc(func(a *wsfev1.CbteAsoc) { a.CbteFch = "20261201" }),
	},
}

// of changes the period of a note.
func of(change func(p *wsfev1.PeriodoAsoc)) func(*issuing, *detail) {
	return func(_ *issuing, d *detail) { change(d.PeriodoAsoc) }
}

// addPeriod gives an invoice the period of its own day.
func addPeriod(r *issuing, d *detail) {
	d.PeriodoAsoc = &wsfev1.PeriodoAsoc{FchDesde: r.dateOf(d), FchHasta: r.dateOf(d)}
}

var ofPeriods = wish{types: plainNotes, must: period, never: tributes | uncategorised | small}

var mistakesInPeriods = []mistake{
	{
		name: "an invoice of a period", of: wish{types: and(plain, no(wsfev1.IsNote))}, cae: "10198", caea: "1492",
		change: addPeriod,
	},
	{name: "an FCE of a period", of: wish{types: creditNotes}, cae: "10196", caea: "1490", change: addPeriod},
	{name: "a period without a beginning", of: ofPeriods, cae: "10199", caea: "1493", change: of(func(p *wsfev1.PeriodoAsoc) { p.FchDesde = "" })},
	{name: "a period without an end", of: ofPeriods, cae: "10203", caea: "1494", change: of(func(p *wsfev1.PeriodoAsoc) { p.FchHasta = "" })},
	{name: "a period from no day", of: ofPeriods, cae: "10204", caea: "1495", change: of(func(p *wsfev1.PeriodoAsoc) { p.FchDesde = "20260230" })},
	{name: "a period to no day", of: ofPeriods, cae: "10205", caea: "1496", change: of(func(p *wsfev1.PeriodoAsoc) { p.FchHasta = "2026-1-1" })},
	{name: "a period of long ago", of: ofPeriods, cae: "10206", caea: "1497", change: of(func(p *wsfev1.PeriodoAsoc) { p.FchDesde = "20060101" })},
	{
		name: "a period that is turned round", of: ofPeriods, cae: "10207", caea: "1498",
		change: of(func(p *wsfev1.PeriodoAsoc) { p.FchDesde = moved(p.FchHasta, 1) }),
	},
	{
		name: "a period after the note", of: ofPeriods, cae: "10208", caea: "1499",
		change: func(r *issuing, d *detail) { d.PeriodoAsoc.FchHasta = moved(r.dateOf(d), 1) },
	},
	{
		name: "perceptions of more than a month", of: ofPeriods, cae: "10209", caea: "1500",
		change: func(_ *issuing, d *detail) {
			setTributes(d, tribute(7, "100.00", "1.00", "1.00"))
			d.PeriodoAsoc.FchDesde = moved(d.PeriodoAsoc.FchHasta, -40)
		},
	},
}
