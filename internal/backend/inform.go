package backend

import (
	"context"
	"errors"
	"fmt"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// inform answers FECAEARegInformativo: invoices issued under an advance code.
func (b *Backend) inform(ctx context.Context, c *call, r *wsfev1.FECAEARegInformativoRequest, answer *wsfev1.FECAEARegInformativoAnswer) error {
	lot := wsfev1.LotOf(r)
	details := r.FeCAEARegInfReq.FeDetReq.FECAEADetRequest
	answer.FeCabResp = header(c, lot)
	b.admitIssuer(c, informing, lot)
	b.admitPoint(c, informing, lot)
	task, out, err := b.process(ctx, c, lot, func(c *call, lot *wsfev1.Lot) *lotTask {
		return informationTask(c, lot, details)
	})
	if err != nil {
		return err
	}
	if out == nil {
		// Nothing was looked at, and every detail is R nevertheless.
		c.report(&answer.Envelope)
		answer.FeDetResp = notLookedAt(details)
		return nil
	}
	answer.FeCabResp.Resultado = out.resultado
	c.reject(&answer.Envelope, out.errors...)
	responses := make([]wsfev1.FECAEADetResponse, len(out.results))
	for i := range out.results {
		responses[i] = wsfev1.FECAEADetResponse{DetResponse: task.response(&out.results[i]), CAEA: details[i].CAEA}
	}
	answer.FeDetResp = &wsfev1.FeCAEADetResp{FECAEADetResponse: responses}
	return nil
}

func informationTask(c *call, lot *wsfev1.Lot, details []wsfev1.FECAEADetRequest) *lotTask {
	t := newLotTask(c, lot)
	for i := range details {
		t.dates[i] = details[i].CbteFch
	}
	t.outOfSequence = func(state SeriesState, i int) []validate.Finding {
		return outOfSequence(state, details[i].CbteDesde, t.dates[i], 703, 704)
	}
	t.examine = func(ctx context.Context, tx Tx, i int) ([]validate.Finding, error) {
		return t.backend.examineAdvance(ctx, tx, &t.examinations[i])
	}
	t.stamp = func(ctx context.Context, tx Tx, approved []lotResult) error {
		for i := range approved {
			v := &approved[i]
			caea, err := tx.CAEA(ctx, details[v.index].CAEA)
			if err != nil {
				return err
			}
			v.invoice.Code, v.invoice.EmisionTipo, v.invoice.FchVto = caea.Code, EmisionCAEA, caea.FchVigHasta
		}
		return nil
	}
	return t
}

// examineAdvance holds an invoice against the advance code that it names.
func (b *Backend) examineAdvance(ctx context.Context, tx Tx, x *examination) ([]validate.Finding, error) {
	findings := unkeepable(x.FECAEDetRequest, x.CbteTipo, &numberCodes{784, 784, 1416, 1433, 711})
	at := x.lot.InvoicePointer(x.index)
	dated := x.date.Valid()
	if !dated {
		findings = append(findings, insisted(783, at+"/CbteFch")) // no ledger can keep it
	}
	caea, err := tx.CAEA(ctx, x.CAEA.CAEA)
	if errors.Is(err, ErrNotFound) {
		return append(findings, insisted(780, at+"/CAEA")), nil
	}
	if err != nil {
		return nil, fmt.Errorf("caea %s: %w", x.CAEA.CAEA, err)
	}
	if caea.Cuit != x.cuit {
		return append(findings, insisted(705, at+"/CAEA")), nil
	}
	if dated && (x.date < caea.FchVigDesde || x.date > caea.FchVigHasta) {
		findings = b.report(findings, x, 702, "CbteFch")
	}
	if x.today < caea.FchVigDesde {
		findings = b.report(findings, x, 1414, "CAEA")
	}
	declared, err := tx.SinMovimiento(ctx, caea.Code)
	if err != nil {
		return nil, fmt.Errorf("caea %s: %w", caea.Code, err)
	}
	if declares(declared, x.lot.Header.PtoVta) {
		findings = b.report(findings, x, 1424, "CAEA")
	}
	return findings, nil
}

// notLookedAt rejects every invoice without a remark.
func notLookedAt(details []wsfev1.FECAEADetRequest) *wsfev1.FeCAEADetResp {
	if len(details) == 0 {
		return nil
	}
	responses := make([]wsfev1.FECAEADetResponse, len(details))
	for i := range details {
		responses[i] = wsfev1.FECAEADetResponse{
			DetResponse: wsfev1.AnswerTo(&details[i].FECAEDetRequest, wsfev1.Rechazado), CAEA: details[i].CAEA,
		}
	}
	return &wsfev1.FeCAEADetResp{FECAEADetResponse: responses}
}
