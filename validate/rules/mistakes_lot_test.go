package rules_test

import (
	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/wsfev1"
)

var unregulated = wish{never: activities | associated}

func doing(ids ...int64) func(*issuing, *detail) {
	return func(_ *issuing, d *detail) {
		d.Actividades = &wsfev1.Actividades{}
		for _, id := range ids {
			d.Actividades.Actividad = append(d.Actividades.Actividad, wsfev1.Actividad{Id: id})
		}
	}
}

var mistakesInActivities = []mistake{
	{name: "no activity", of: unregulated, cae: "10218", caea: "16000", change: doing()},
	{name: "an activity without Id", of: unregulated, cae: "10219", caea: "16001", change: doing(620100, 0)},
	{name: "an activity twice", of: unregulated, cae: "10221", caea: "16003", change: doing(620100, 471110, 620100)},
}

// header changes the header of the lot.
func header(change func(h *wsfev1.FeCabReq)) func(*issuing, *detail) {
	return func(r *issuing, _ *detail) { change(&r.header) }
}

// advanced changes what an invoice has under a CAEA.
func advanced(change func(d *detail)) func(*issuing, *detail) {
	return func(_ *issuing, d *detail) { change(d) }
}

var mistakesInLots = []mistake{
	{name: "CantReg is one more", cae: "10002", caea: "10002", change: header(func(h *wsfev1.FeCabReq) { h.CantReg++ })},
	{
		name: "CantReg is one less", of: wish{types: plain, must: several}, cae: "10002", caea: "10002",
		change: header(func(h *wsfev1.FeCabReq) { h.CantReg-- }),
	},
	{name: "no CantReg", cae: "10001 10002", caea: "10001 10002", change: header(func(h *wsfev1.FeCabReq) { h.CantReg = 0 })},
	{name: "no point of sale", cae: "10004", caea: "1300", change: header(func(h *wsfev1.FeCabReq) { h.PtoVta = 0 })},
	{name: "point of sale 99999", cae: "10004", caea: "1300", change: header(func(h *wsfev1.FeCabReq) { h.PtoVta = 99999 })},
	{name: "no type of voucher", of: wish{types: kinds(6), must: ivaDue}, cae: "10006", caea: "700", change: header(func(h *wsfev1.FeCabReq) { h.CbteTipo = 0 })},
	{name: "a type that is only associated", of: wish{types: kinds(6), must: ivaDue}, cae: "10007", caea: "700", change: header(func(h *wsfev1.FeCabReq) { h.CbteTipo = 91 })},
	{name: "a type that is not reported", of: wish{types: kinds(1), never: optional}, caea: "700", change: header(func(h *wsfev1.FeCabReq) { h.CbteTipo = 34 })},
	{
		name: "two FCE", of: wish{types: wsfev1.IsFCE, never: dated}, cae: "10003", caea: "10003",
		change: func(r *issuing, d *detail) {
			again := *d
			again.CbteDesde++
			again.CbteHasta++
			r.invoices = append(r.invoices, again)
			r.header.CantReg = 2
		},
	},
	{
		name: "a gap in the numbers hides what else is wrong", of: wish{types: plain, must: several}, cae: "10016", caea: "703", inLast: true,
		change: func(_ *issuing, d *detail) {
			d.CbteDesde++
			d.CbteHasta++
			addTo(&d.ImpTotal, beyond(d.ImpTotal, 1))
			d.MonId = "XXX"
		},
	},
	{
		name: "a number twice", of: wish{types: plain, must: several, never: ranged}, cae: "10016", caea: "703", inLast: true,
		change: func(_ *issuing, d *detail) {
			d.CbteDesde--
			d.CbteHasta--
		},
	},
	{name: "no CAEA", caea: "782", of: wish{never: several}, change: advanced(func(d *detail) { d.CAEA = "" })},
	{name: "a CAEA of 13 digits", caea: "782", of: wish{never: several}, change: advanced(func(d *detail) { d.CAEA = d.CAEA[1:] })},
	{name: "no moment of issue", of: wish{at: validatetest.Noon}, caea: "1440", change: advanced(func(d *detail) { d.CbteFchHsGen = "" })},
	{name: "no moment of the calendar", caea: "1441", change: advanced(func(d *detail) { d.CbteFchHsGen = "20261120246060" })},
	{
		name: "products issued six days apart", of: wish{concepto: 1, types: no(kinds(49))}, caea: "1445",
		change: advanced(func(d *detail) { d.CbteFchHsGen = wsfev1.Timestamp(moved(d.CbteFch, -6)) + "235959" }),
	},
	{
		name: "services issued eleven days apart", of: wish{concepto: 2}, caea: "1445",
		change: advanced(func(d *detail) { d.CbteFchHsGen = wsfev1.Timestamp(moved(d.CbteFch, 11)) + "000000" }),
	},
}
