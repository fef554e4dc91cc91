package backend

import (
	"context"
	"fmt"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// caeDays is how long after CbteFch an invoice may be handed over. The service
// counts from the invoice's date, not from the process date.
const caeDays = 10

// authorise answers FECAESolicitar.
func (b *Backend) authorise(ctx context.Context, c *call, r *wsfev1.FECAESolicitarRequest, answer *wsfev1.FECAESolicitarAnswer) error {
	lot := wsfev1.LotOf(r)
	answer.FeCabResp = header(c, lot)
	b.admitIssuer(c, authorising, lot)
	b.admitPoint(c, authorising, lot)
	task, out, err := b.process(ctx, c, lot, authorisationTask)
	if err != nil {
		return err
	}
	if out == nil {
		c.report(&answer.Envelope)
		return nil
	}
	answer.FeCabResp.Resultado = out.resultado
	c.reject(&answer.Envelope, out.errors...)
	responses := make([]wsfev1.FECAEDetResponse, len(out.results))
	for i := range out.results {
		v := &out.results[i]
		responses[i] = wsfev1.FECAEDetResponse{DetResponse: task.response(v), CAE: v.invoice.Code, CAEFchVto: v.invoice.FchVto}
	}
	answer.FeDetResp = &wsfev1.FeCAEDetResp{FECAEDetResponse: responses}
	return nil
}

func authorisationTask(c *call, lot *wsfev1.Lot) *lotTask {
	t := newLotTask(c, lot)
	for i := range t.dates {
		if t.dates[i] = lot.Invoice(i).CbteFch; t.dates[i] == "" {
			t.dates[i] = c.today
		}
	}
	t.outOfSequence = func(state SeriesState, i int) []validate.Finding {
		return outOfSequence(state, lot.Invoice(i).CbteDesde, t.dates[i], 10016, 10016)
	}
	t.examine = func(_ context.Context, _ Tx, i int) ([]validate.Finding, error) {
		findings := unkeepable(lot.Invoice(i), lot.Header.CbteTipo, &numberCodes{10008, 10010, 10011, 10011, 10012})
		if !t.dates[i].Valid() {
			findings = append(findings, excluding(10016, "CbteFch no es una fecha válida con formato aaaammdd"))
		}
		return findings, nil
	}
	t.stamp = t.stampCAE
	return t
}

// stampCAE gives each approved invoice its own CAE; a range gets one.
func (t *lotTask) stampCAE(ctx context.Context, tx Tx, approved []lotResult) error {
	serials, err := tx.Serials(ctx, len(approved))
	if err != nil {
		return err
	}
	codes, err := authorisationCodes(firstDigitCAE, t.call.now, serials)
	if err != nil {
		return err
	}
	var date, until wsfev1.Date // the invoices of a lot are mostly of one day
	for i := range approved {
		v := approved[i].invoice
		if v.CbteFch != date {
			date, until = v.CbteFch, v.CbteFch.AddDays(caeDays)
		}
		v.Code, v.EmisionTipo, v.FchVto = codes[i], EmisionCAE, until
	}
	return nil
}

// outOfSequence compares an invoice with the end of its series. A date that is
// not one is left to the rules.
func outOfSequence(state SeriesState, number int64, date wsfev1.Date, numberCode, dateCode int32) []validate.Finding {
	if next := state.Last + 1; number != next {
		return []validate.Finding{sequence(numberCode, fmt.Sprintf("CbteDesde es %d y el próximo a autorizar es %d: consulte FECompUltimoAutorizado", number, next))}
	}
	if date.Valid() && date < state.LastFch {
		return []validate.Finding{sequence(dateCode, fmt.Sprintf("La fecha %s es anterior a la del último comprobante de la serie, %s", validate.DayText(date), validate.DayText(state.LastFch)))}
	}
	return nil
}

// numberCodes are the codes of one operation for numbers that no ledger can keep: of CbteDesde, of
// CbteHasta, and of a range that ends before it begins, by class.
type numberCodes struct{ from, to, ofB, ofC, ofOthers int32 }

// unkeepable returns what no ledger can keep, at any level of the rules: numbers out of
// range, and ranges that end before they begin.
func unkeepable(detail *wsfev1.FECAEDetRequest, cbteTipo int32, codes *numberCodes) []validate.Finding {
	var findings []validate.Finding
	if detail.CbteDesde > MaxNumber {
		findings = append(findings, excluding(codes.from, "CbteDesde está fuera de rango"))
	}
	switch {
	case detail.CbteHasta < 1 || detail.CbteHasta > MaxNumber:
		findings = append(findings, excluding(codes.to, "CbteHasta está fuera de rango"))
	case detail.CbteHasta < detail.CbteDesde:
		findings = append(findings, excluding(codes.ofRange(cbteTipo), "CbteHasta es menor que CbteDesde"))
	}
	return findings
}

func (c *numberCodes) ofRange(cbteTipo int32) int32 {
	switch class := wsfev1.ClassOf(cbteTipo); {
	case class == wsfev1.ClassC:
		return c.ofC
	case class == wsfev1.ClassB && !wsfev1.IsFCE(cbteTipo):
		return c.ofB
	}
	return c.ofOthers
}
