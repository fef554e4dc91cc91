package backend

import (
	"context"
	"sort"

	"github.com/fielato/fielato/wsfev1"
)

// pesos is the one currency without a rate.
const pesos = "PES"

// rate answers FEParamGetCotizacion. The figures are few and fixed (tables/): each
// is carried forward until the next one, so that an answer depends on nothing but
// the day asked for. They are not the rates of that day.
func (b *Backend) rate(_ context.Context, c *call, r *wsfev1.FEParamGetCotizacionRequest, answer *wsfev1.FEParamGetCotizacionAnswer) error {
	switch {
	case r.MonId == "":
		c.findings.fail(12001, "Falta MonId")
	case !wsfev1.IsMoneda(r.MonId):
		c.findings.fail(12000, "MonId no figura en la tabla de monedas")
	}
	if r.FchCotiz != "" && !r.FchCotiz.Valid() {
		c.findings.fail(12002, "FchCotiz no es una fecha válida con formato aaaammdd")
	}
	if c.findings.failed() {
		c.report(&answer.Envelope)
		return nil
	}
	day, published := rateDay(r.FchCotiz, c.today)
	figure, ok := b.tables.rateOn(r.MonId, day)
	if !published || !ok {
		c.reject(&answer.Envelope, failure(602, "Sin resultados: la moneda no tiene cotización para la fecha"))
		return nil
	}
	answer.ResultGet = &wsfev1.Cotizacion{MonId: r.MonId, MonCotiz: figure, FchCotiz: day}
	return nil
}

// rateDay returns the business day whose rate answers for the day asked for; no
// day means the last one published. A day's rate is published on the day after,
// so today is answered with the last one; a day to come has none.
func rateDay(asked, today wsfev1.Date) (day wsfev1.Date, published bool) {
	last := today.AddDays(-1).BusinessDay()
	if asked == "" {
		return last, true
	}
	return min(asked.BusinessDay(), last), asked <= today
}

// rateOn returns the last figure of a currency on or before a day.
func (t *Tables) rateOn(monID string, day wsfev1.Date) (wsfev1.Amount, bool) {
	figures := t.cotizacion[monID]
	after := sort.Search(len(figures), func(i int) bool { return figures[i].FchCotiz > day })
	if monID == pesos || after == 0 {
		return wsfev1.Amount{}, false
	}
	return figures[after-1].MonCotiz, true
}
