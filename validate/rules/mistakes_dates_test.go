package rules_test

import (
	"time"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/wsfev1"
)

// today is the day on which the request is processed.
func (r *issuing) today() wsfev1.Date {
	return wsfev1.Date(r.now.In(validatetest.Noon.Location()).Format("20060102"))
}

// dateOf is the date that the service takes the invoice to have.
func (r *issuing) dateOf(d *detail) wsfev1.Date {
	if d.CbteFch == "" {
		return r.today()
	}
	return d.CbteFch
}

// fromToday gives an invoice a date so many days from today, and to what hangs on
// its date one that goes with it.
func fromToday(days int) func(*issuing, *detail) {
	return func(r *issuing, d *detail) { redate(d, moved(r.today(), days)) }
}

func redate(d *detail, date wsfev1.Date) {
	d.CbteFch = date
	if d.FchVtoPago != "" {
		d.FchVtoPago = max(d.FchVtoPago, date)
	}
	if d.CbtesAsoc != nil {
		for i := range d.CbtesAsoc.CbteAsoc {
			if a := &d.CbtesAsoc.CbteAsoc[i]; a.CbteFch != "" {
				a.CbteFch = date
			}
		}
	}
	if d.CbteFchHsGen != "" {
		d.CbteFchHsGen = wsfev1.Timestamp(date) + "120000"
	}
}

// tenth and last are days on which the windows of dates lie within the month, and
// on which they reach into the next.
var (
	tenth = time.Date(2026, 11, 10, 12, 0, 0, 0, validatetest.Noon.Location())
	last  = time.Date(2026, 11, 30, 12, 0, 0, 0, validatetest.Noon.Location())
)

func single(types func(int32) bool, concepto int32, at time.Time) wish {
	return wish{types: types, concepto: concepto, at: at, never: several | period}
}

var mistakesInDates = []mistake{
	{name: "products six days ago", of: single(plain, 1, validatetest.Noon), cae: "10016", change: fromToday(-6)},
	{name: "products in six days", of: single(plain, 1, tenth), cae: "10016", change: fromToday(6)},
	{name: "services eleven days ago", of: single(and(plain, no(kinds(49))), 2, validatetest.Noon), cae: "10016", change: fromToday(-11)},
	{name: "services in eleven days", of: single(and(plain, no(kinds(49))), 3, tenth), cae: "10016", change: fromToday(11)},
	{name: "FCE six days ago", of: single(wsfev1.IsFCE, 2, validatetest.Noon), cae: "10016", change: fromToday(-6)},
	{name: "FCE in two days", of: single(credits, 2, tenth), cae: "10016", change: fromToday(2)},
	{name: "a note of FCE tomorrow", of: single(creditNotes, 1, tenth), cae: "10016", change: fromToday(1)},
	{name: "products of the next month", of: single(plain, 1, last), cae: "10152", change: fromToday(1)},
	{name: "FCE of the next month", of: single(credits, 3, last), cae: "10152", change: fromToday(1)},
	{
		name: "no day of the calendar", of: single(plain, 0, validatetest.Noon), cae: "10016", caea: "783",
		change: func(_ *issuing, d *detail) { d.CbteFch = "20261345" },
	},
	{
		name: "no date under a CAEA", of: single(plain, 0, validatetest.Noon), caea: "783",
		change: func(_ *issuing, d *detail) { d.CbteFch = "" },
	},
	{
		name: "a date before that of the invoice before", cae: "10016", caea: "704", inLast: true,
		of:     wish{types: plain, must: several, never: period},
		change: func(r *issuing, d *detail) { redate(d, moved(r.dateOf(&r.invoices[len(r.invoices)-2]), -1)) },
	},
	{name: "an unknown Concepto", cae: "10030", caea: "713", of: wish{types: no(kinds(49)), never: buyers | dated}, change: concepto(9)},
	{
		name: "services of used goods", of: wish{types: kinds(49)}, cae: "10085",
		change: func(r *issuing, d *detail) {
			d.Concepto = 2
			d.FchServDesde, d.FchServHasta, d.FchVtoPago = r.dateOf(d), r.dateOf(d), r.dateOf(d)
		},
	},
}

func concepto(n int32) func(*issuing, *detail) {
	return func(_ *issuing, d *detail) { d.Concepto = n }
}

// services are invoices that must have the three dates, productsAndDates some that
// need not.
var (
	services         = wish{types: and(plain, no(kinds(49))), concepto: 2}
	productsAndDates = wish{types: plain, must: servicePeriod}
)

var mistakesInServiceDates = []mistake{
	{
		name: "a period that ends before it begins", of: services, cae: "10032", caea: "1412",
		change: func(_ *issuing, d *detail) { d.FchServDesde = moved(d.FchServHasta, 1) },
	},
	{
		name: "payable before the date", of: services, cae: "10036", caea: "1411",
		change: func(r *issuing, d *detail) { d.FchVtoPago = moved(r.dateOf(d), -1) },
	},
	{
		name: "no day of the calendar of a service", of: services, cae: "10049", caea: "1413",
		change: func(_ *issuing, d *detail) { d.FchServHasta = "20261345" },
	},
	{
		name: "services without a date", of: services, cae: "10049",
		change: func(_ *issuing, d *detail) { d.FchServDesde, d.FchServHasta, d.FchVtoPago = "", "", "" },
	},
	{
		name: "products with a period that has no beginning", of: productsAndDates, cae: "10031",
		change: func(_ *issuing, d *detail) { d.FchServDesde = "" },
	},
	{
		name: "products with a period that has no end", of: productsAndDates, cae: "10033",
		change: func(_ *issuing, d *detail) { d.FchServHasta = "" },
	},
	{
		name: "products with a period that is not payable", of: productsAndDates, cae: "10035",
		change: func(_ *issuing, d *detail) { d.FchVtoPago = "" },
	},
	{
		name: "products with the dates of a service under a CAEA", of: wish{types: plain, concepto: 1}, caea: "727 728 729",
		change: func(r *issuing, d *detail) {
			d.FchServDesde, d.FchServHasta, d.FchVtoPago = r.dateOf(d), r.dateOf(d), r.dateOf(d)
		},
	},
}
