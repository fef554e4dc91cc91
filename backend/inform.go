package backend

import (
	"context"
	"errors"
	"fmt"

	"github.com/fielato/fielato/wsfev1"
)

// inform answers FECAEARegInformativo: invoices issued under an advance code.
func (b *Backend) inform(ctx context.Context, c *call, r *wsfev1.FECAEARegInformativoRequest, answer *wsfev1.FECAEARegInformativoAnswer) error {
	lot := wsfev1.LotOf(r)
	details := r.FeCAEARegInfReq.FeDetReq.FECAEADetRequest
	answer.FeCabResp = header(c, lot)
	if b.emision(c.cuit, lot.Header.PtoVta) != EmisionCAEA {
		c.findings.fail(701, "El punto de venta no está habilitado para CAEA")
	}
	task, out, err := b.process(ctx, c, lot, func(c *call, lot *wsfev1.Lot) (*lotTask, error) {
		return informationTask(c, lot, details)
	})
	if err != nil {
		return err
	}
	if out == nil {
		c.findings.report(&answer.Envelope)
		return nil
	}
	answer.FeCabResp.Resultado = out.resultado
	reportAll(&answer.Envelope, out.errors)
	responses := make([]wsfev1.FECAEADetResponse, len(out.verdicts))
	for i := range out.verdicts {
		responses[i] = wsfev1.FECAEADetResponse{DetResponse: task.response(&out.verdicts[i]), CAEA: details[i].CAEA}
	}
	answer.FeDetResp = &wsfev1.FeCAEADetResp{FECAEADetResponse: responses}
	return nil
}

func informationTask(c *call, lot *wsfev1.Lot, details []wsfev1.FECAEADetRequest) (*lotTask, error) {
	t := &lotTask{
		call: c, lot: lot,
		series:  Series{c.cuit, lot.Header.PtoVta, lot.Header.CbteTipo},
		dates:   make([]wsfev1.Date, lot.Len()),
		details: make([][]byte, lot.Len()),
	}
	for i := range details {
		kept := keptDetail{FECAEDetRequest: normalised(lot.Invoice(i)), CbteFchHsGen: details[i].CbteFchHsGen}
		encoded, err := encodeDetail(kept)
		if err != nil {
			return nil, err
		}
		t.dates[i], t.details[i] = details[i].CbteFch, encoded
	}
	t.outOfSequence = func(state SeriesState, i int) []Finding {
		findings := outOfSequence(state, details[i].CbteDesde, t.dates[i], 703, 704)
		if !fourteenDigits(details[i].CAEA) {
			findings = append(findings, sequence(782, "Falta el CAEA o no tiene 14 dígitos"))
		}
		return findings
	}
	t.examine = func(ctx context.Context, tx Tx, i int) ([]Finding, error) {
		return t.examineAdvance(ctx, tx, &details[i])
	}
	t.stamp = func(ctx context.Context, tx Tx, approved []*verdict) error {
		for _, v := range approved {
			caea, err := tx.CAEA(ctx, details[v.index].CAEA)
			if err != nil {
				return err
			}
			v.invoice.Code, v.invoice.EmisionTipo, v.invoice.FchVto = caea.Code, EmisionCAEA, caea.FchVigHasta
		}
		return nil
	}
	return t, nil
}

// examineAdvance holds an invoice against the advance code that it names.
func (t *lotTask) examineAdvance(ctx context.Context, tx Tx, detail *wsfev1.FECAEADetRequest) ([]Finding, error) {
	findings := unkeepable(&detail.FECAEDetRequest, 784, 784, 1416)
	dated := detail.CbteFch.Valid()
	if !dated {
		findings = append(findings, excluding(783, "CbteFch falta o no es una fecha válida con formato aaaammdd"))
	}
	caea, err := tx.CAEA(ctx, detail.CAEA)
	if errors.Is(err, ErrNotFound) {
		return append(findings, excluding(780, "El CAEA informado no está registrado")), nil
	}
	if err != nil {
		return nil, fmt.Errorf("caea %s: %w", detail.CAEA, err)
	}
	if caea.Cuit != t.call.cuit {
		return append(findings, excluding(705, "El CAEA informado fue otorgado a otra CUIT")), nil
	}
	if dated && (detail.CbteFch < caea.FchVigDesde || detail.CbteFch > caea.FchVigHasta) {
		findings = append(findings, excluding(702, fmt.Sprintf(
			"CbteFch está fuera de la vigencia del CAEA, del %s al %s", caea.FchVigDesde, caea.FchVigHasta)))
	}
	if t.call.today() < caea.FchVigDesde {
		findings = append(findings, excluding(1414, "El CAEA todavía no está vigente"))
	}
	declared, err := tx.SinMovimiento(ctx, caea.Code)
	if err != nil {
		return nil, fmt.Errorf("caea %s: %w", caea.Code, err)
	}
	if declares(declared, t.series.PtoVta) {
		findings = append(findings, Finding{
			Code: 1424, Severity: SeverityObservation,
			Text: "El CAEA fue informado sin movimiento para este punto de venta",
		})
	}
	return findings, nil
}
