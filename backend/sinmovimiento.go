package backend

import (
	"context"
	"errors"
	"slices"

	"github.com/fielato/fielato/wsfev1"
)

// informSinMovimiento answers FECAEASinMovimientoInformar: a point of sale issued
// nothing under an advance code. Its rejections echo the request.
func (b *Backend) informSinMovimiento(ctx context.Context, c *call, r *wsfev1.FECAEASinMovimientoRequest, answer *wsfev1.FECAEASinMovimientoInformarAnswer) error {
	declared := SinMovimiento{CAEA: r.CAEA, PtoVta: r.PtoVta, FchProceso: c.today()}
	answer.FECAEASinMov = wsfev1.FECAEASinMov{CAEA: r.CAEA, FchProceso: declared.FchProceso, PtoVta: r.PtoVta}
	answer.Resultado = wsfev1.Rechazado
	if r.PtoVta < 1 || r.PtoVta > maxPtoVta {
		c.findings.fail(1206, "El punto de venta debe estar entre 1 y 99998")
	}
	if !fourteenDigits(r.CAEA) {
		c.findings.fail(1207, "El CAEA debe tener 14 dígitos")
	}
	if c.findings.failed() {
		c.findings.report(&answer.Envelope)
		return nil
	}
	var refused []Finding
	err := b.ledger.Update(ctx, func(tx Tx) (err error) {
		if refused, err = b.refuseSinMovimiento(ctx, tx, c, r); err != nil || len(refused) > 0 {
			return err
		}
		return tx.AddSinMovimiento(ctx, declared)
	})
	if errors.Is(err, ErrExists) {
		answer.Fail(1209, "El CAEA ya fue informado sin movimiento para este punto de venta")
		return nil
	}
	if err != nil {
		return err
	}
	if len(refused) > 0 {
		reportAll(&answer.Envelope, refused)
		return nil
	}
	answer.Resultado = wsfev1.Aprobado
	return nil
}

// refuseSinMovimiento returns what the ledger has against the declaration, but
// for a repetition.
func (b *Backend) refuseSinMovimiento(ctx context.Context, tx Tx, c *call, r *wsfev1.FECAEASinMovimientoRequest) ([]Finding, error) {
	caea, err := tx.CAEA(ctx, r.CAEA)
	if errors.Is(err, ErrNotFound) {
		return []Finding{{Code: 1200, Text: "El código informado no es un CAEA"}}, nil
	}
	if err != nil {
		return nil, err
	}
	if caea.Cuit != c.cuit {
		return []Finding{{Code: 1201, Text: "El CAEA fue otorgado a otra CUIT"}}, nil
	}
	var refused []Finding
	used, err := tx.CAEAUsed(ctx, r.CAEA, r.PtoVta)
	if err != nil {
		return nil, err
	}
	if used {
		refused = append(refused, Finding{Code: 1202, Text: "El punto de venta tiene comprobantes informados con este CAEA"})
	}
	if c.today() <= caea.FchVigDesde {
		refused = append(refused, Finding{Code: 1203, Text: "La declaración debe ser posterior al inicio de vigencia del CAEA"})
	}
	if b.emision(c.cuit, r.PtoVta) != EmisionCAEA {
		refused = append(refused, Finding{Code: 1204, Text: "El punto de venta no está habilitado para CAEA"})
	}
	return refused, nil
}

// consultSinMovimiento answers FECAEASinMovimientoConsultar. PtoVta 0 asks for all
// points of sale.
func (b *Backend) consultSinMovimiento(ctx context.Context, c *call, r *wsfev1.FECAEASinMovimientoRequest, answer *wsfev1.FECAEASinMovimientoConsultarAnswer) error {
	if !fourteenDigits(r.CAEA) {
		c.findings.fail(10100, "El CAEA debe tener 14 dígitos")
	}
	if r.PtoVta < 0 || r.PtoVta > maxPtoVta {
		c.findings.fail(10101, "El punto de venta debe estar entre 0 y 99998")
	}
	if c.findings.failed() {
		c.findings.report(&answer.Envelope)
		return nil
	}
	return b.ledger.View(ctx, func(ledger Reader) error {
		declared, used, err := readSinMovimiento(ctx, ledger, c.cuit, r)
		switch {
		case err != nil:
			return err
		case used:
			answer.Fail(10105, "El punto de venta tiene comprobantes informados con este CAEA")
		case len(declared) == 0:
			answer.Fail(10102, "El CAEA no está registrado como sin movimiento")
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
