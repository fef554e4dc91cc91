package backend

import (
	"context"
	"errors"
	"slices"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// informSinMovimiento answers FECAEASinMovimientoInformar: a point of sale issued
// nothing under an advance code. Its rejections echo the request.
func (b *Backend) informSinMovimiento(ctx context.Context, c *call, r *wsfev1.FECAEASinMovimientoRequest, answer *wsfev1.FECAEASinMovimientoInformarAnswer) error {
	declared := SinMovimiento{CAEA: r.CAEA, PtoVta: r.PtoVta, FchProceso: c.today}
	answer.FECAEASinMov = wsfev1.FECAEASinMov{CAEA: r.CAEA, FchProceso: declared.FchProceso, PtoVta: r.PtoVta}
	answer.Resultado = wsfev1.Rechazado
	if c.findings.failed() {
		c.report(&answer.Envelope)
		return nil
	}
	var refused []validate.Finding
	err := b.ledger.Update(ctx, func(tx Tx) (err error) {
		refused, err = b.refuseSinMovimiento(ctx, tx, c, r)
		if err != nil || len(refused) > 0 {
			return err
		}
		return tx.AddSinMovimiento(ctx, declared)
	})
	if errors.Is(err, ErrExists) {
		refused, err = []validate.Finding{insisted(1209, "/CAEA")}, nil
	}
	if err != nil {
		return err
	}
	if len(refused) > 0 {
		c.reject(&answer.Envelope, refused...)
		return nil
	}
	answer.Resultado = wsfev1.Aprobado
	return nil
}

// refuseSinMovimiento returns the objections of register and ledger to the declaration,
// except for a repetition.
func (b *Backend) refuseSinMovimiento(ctx context.Context, tx Tx, c *call, r *wsfev1.FECAEASinMovimientoRequest) ([]validate.Finding, error) {
	caea, err := tx.CAEA(ctx, r.CAEA)
	if errors.Is(err, ErrNotFound) {
		return []validate.Finding{insisted(1200, "/CAEA")}, nil
	}
	if err != nil {
		return nil, err
	}
	if caea.Cuit != c.cuit {
		return []validate.Finding{insisted(1201, "/CAEA")}, nil
	}
	used, err := tx.CAEAUsed(ctx, r.CAEA, r.PtoVta)
	if err != nil {
		return nil, err
	}
	var refused []validate.Finding
	broken := func(code int32, pointer string, is bool) {
		if is {
			refused = append(refused, ofWeight(b.complaints(c, "FECAEASinMovimientoInformar", code, pointer, ""), validate.ERR)...)
		}
	}
	point := b.register.Taxpayer(c.cuit).point(r.PtoVta)
	broken(1202, "/PtoVta", used)
	broken(1203, "/CAEA", c.today <= caea.FchVigDesde)
	broken(1204, "/PtoVta", !point.forCAEA())
	broken(1205, "/PtoVta", point.forCAEA() && !point.activeDuring(caea.FchVigDesde, caea.FchVigHasta))
	return refused, nil
}

// consultSinMovimiento answers FECAEASinMovimientoConsultar. PtoVta 0 asks for all
// points of sale.
func (b *Backend) consultSinMovimiento(ctx context.Context, c *call, r *wsfev1.FECAEASinMovimientoRequest, answer *wsfev1.FECAEASinMovimientoConsultarAnswer) error {
	if c.findings.failed() {
		c.report(&answer.Envelope)
		return nil
	}
	return b.ledger.View(ctx, func(ledger Reader) error {
		declared, used, err := readSinMovimiento(ctx, ledger, c.cuit, r)
		switch {
		case err != nil:
			return err
		case used:
			c.reject(&answer.Envelope, insisted(10105, "/PtoVta"))
		case len(declared) == 0:
			c.reject(&answer.Envelope, insisted(10102, "/CAEA"))
		default:
			answer.ResultGet = &wsfev1.FECAEASinMovResult{FECAEASinMov: declared}
		}
		return nil
	})
}

// readSinMovimiento returns the declarations asked for, and whether the one point
// of sale asked for has invoices instead.
func readSinMovimiento(ctx context.Context, ledger Reader, cuit wsfev1.CUIT, r *wsfev1.FECAEASinMovimientoRequest) (declared []wsfev1.FECAEASinMov, used bool, err error) {
	caea, err := ledger.CAEA(ctx, r.CAEA)
	if errors.Is(err, ErrNotFound) || err == nil && caea.Cuit != cuit {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if r.PtoVta != 0 {
		if used, err = ledger.CAEAUsed(ctx, r.CAEA, r.PtoVta); err != nil || used {
			return nil, used, err
		}
	}
	all, err := ledger.SinMovimiento(ctx, r.CAEA)
	for _, d := range all {
		if r.PtoVta == 0 || d.PtoVta == r.PtoVta {
			declared = append(declared, wsfev1.FECAEASinMov{CAEA: d.CAEA, FchProceso: d.FchProceso, PtoVta: d.PtoVta})
		}
	}
	return declared, false, err
}

func declares(declared []SinMovimiento, ptoVta int32) bool {
	return slices.ContainsFunc(declared, func(d SinMovimiento) bool { return d.PtoVta == ptoVta })
}
