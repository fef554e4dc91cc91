package backend

import (
	"context"
	"errors"

	"github.com/fielato/fielato/wsfev1"
)

// largestLot is RegXReq, the figure of every known answer.
const largestLot = 250

// consult answers FECompConsultar. Only approved invoices are there to be found.
func (b *Backend) consult(ctx context.Context, c *call, r *wsfev1.FECompConsultarRequest, answer *wsfev1.FECompConsultarAnswer) error {
	asked := r.FeCompConsReq
	if b.emision(c.cuit, asked.PtoVta) == "" {
		c.findings.fail(10104, "El punto de venta no está registrado")
	}
	if c.findings.failed() {
		c.findings.report(&answer.Envelope)
		return nil
	}
	series := Series{c.cuit, asked.PtoVta, asked.CbteTipo}
	var invoice *Invoice
	err := b.ledger.View(ctx, func(ledger Reader) (err error) {
		invoice, err = ledger.Invoice(ctx, series, asked.CbteNro)
		return err
	})
	if errors.Is(err, ErrNotFound) {
		answer.Fail(602, "Sin resultados: no existe un comprobante con los datos informados")
		return nil
	}
	if err != nil {
		return err
	}
	answer.ResultGet, err = decodeInvoice(series, invoice)
	return err
}

// lastAuthorised answers FECompUltimoAutorizado: 0 for a series that was never
// used, also where it rejects.
func (b *Backend) lastAuthorised(ctx context.Context, c *call, r *wsfev1.FECompUltimoAutorizadoRequest, answer *wsfev1.FECompUltimoAutorizadoAnswer) error {
	answer.PtoVta, answer.CbteTipo = r.PtoVta, r.CbteTipo
	if b.emision(c.cuit, r.PtoVta) == "" {
		c.findings.fail(11002, "El punto de venta no está habilitado para emitir por web service")
	}
	if c.findings.failed() {
		c.findings.report(&answer.Envelope)
		return nil
	}
	return b.ledger.View(ctx, func(ledger Reader) error {
		state, err := ledger.Series(ctx, Series{c.cuit, r.PtoVta, r.CbteTipo})
		answer.CbteNro = state.Last
		return err
	})
}

// totalPerRequest answers FECompTotXRequest.
func (b *Backend) totalPerRequest(_ context.Context, c *call, _ *wsfev1.AuthRequest, answer *wsfev1.FECompTotXRequestAnswer) error {
	if c.findings.report(&answer.Envelope); !c.findings.failed() {
		answer.RegXReq = largestLot
	}
	return nil
}
