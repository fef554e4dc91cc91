package backend

import (
	"context"
	"errors"
	"fmt"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// grantCAEA answers FECAEASolicitar: one code for each issuer and fortnight.
func (b *Backend) grantCAEA(ctx context.Context, c *call, r *wsfev1.FECAEASolicitarRequest, answer *wsfev1.FECAEASolicitarAnswer) error {
	const operation = "FECAEASolicitar"
	asked, ok := wsfev1.FortnightOf(r.Periodo, r.Orden)
	if !ok && !c.findings.failed() { // at any level of the rule: it has no days
		c.findings.add(insisted(15004, "/Periodo"))
	}
	if err := b.examineAdvanceRequest(ctx, c, operation, fortnightName{r.Periodo, r.Orden}); err != nil {
		return err
	}
	if c.findings.failed() {
		c.report(&answer.Envelope)
		return nil
	}
	var granted *CAEA
	err := b.ledger.Update(ctx, func(tx Tx) (err error) {
		granted, err = newCAEA(ctx, tx, c, r, asked)
		if err != nil {
			return err
		}
		return tx.AddCAEA(ctx, *granted)
	})
	if errors.Is(err, ErrExists) {
		// The service has looked for the code by then, and answers with what it did not find.
		answer.ResultGet = &wsfev1.CAEAResult{}
		c.reject(&answer.Envelope, insisted(15008, "/Periodo"))
		return nil
	}
	if err != nil {
		return err
	}
	answer.ResultGet = advanceResult(granted)
	answer.ResultGet.Observaciones = c.observaciones(validate.Header, c.findings.notes)
	return nil
}

func newCAEA(ctx context.Context, tx Tx, c *call, r *wsfev1.FECAEASolicitarRequest, asked wsfev1.Fortnight) (*CAEA, error) {
	serials, err := tx.Serials(ctx, 1)
	if err != nil {
		return nil, fmt.Errorf("serial: %w", err)
	}
	codes, err := authorisationCodes(firstDigitCAEA, c.now, serials)
	if err != nil {
		return nil, err
	}
	return &CAEA{
		Code: codes[0], Cuit: c.cuit, Periodo: r.Periodo, Orden: r.Orden,
		FchVigDesde: asked.From, FchVigHasta: asked.To, FchTopeInf: deadline(asked),
		FchProceso: wsfev1.TimestampOf(c.now),
	}, nil
}

// consultCAEA answers FECAEAConsultar. Its rejections echo the fortnight.
func (b *Backend) consultCAEA(ctx context.Context, c *call, r *wsfev1.FECAEASolicitarRequest, answer *wsfev1.FECAEAConsultarAnswer) error {
	answer.ResultGet = &wsfev1.CAEAResult{Periodo: r.Periodo, Orden: r.Orden}
	if c.findings.failed() {
		c.report(&answer.Envelope)
		return nil
	}
	var granted *CAEA
	err := b.ledger.View(ctx, func(ledger Reader) (err error) {
		granted, err = ledger.CAEAOf(ctx, c.cuit, r.Periodo, r.Orden)
		return err
	})
	if errors.Is(err, ErrNotFound) {
		c.reject(&answer.Envelope, insisted(602, "/Periodo"))
		return nil
	}
	if err != nil {
		return err
	}
	answer.ResultGet = advanceResult(granted)
	return nil
}

func advanceResult(granted *CAEA) *wsfev1.CAEAResult {
	return &wsfev1.CAEAResult{
		CAEA: granted.Code, Periodo: granted.Periodo, Orden: granted.Orden,
		FchVigDesde: granted.FchVigDesde, FchVigHasta: granted.FchVigHasta,
		FchTopeInf: granted.FchTopeInf, FchProceso: granted.FchProceso,
	}
}
