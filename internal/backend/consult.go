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
	if !b.register.Taxpayer(c.cuit).point(asked.PtoVta).registered(c.today) {
		b.complain(c, "FECompConsultar", 10104, "/FeCompConsReq/PtoVta", "")
	}
	if c.findings.failed() {
		c.report(&answer.Envelope)
		return nil
	}
	series := Series{c.cuit, asked.PtoVta, asked.CbteTipo}
	var invoice *Invoice
	err := b.ledger.View(ctx, func(ledger Reader) (err error) {
		invoice, err = ledger.Invoice(ctx, series, asked.CbteNro)
		return err
	})
	if errors.Is(err, ErrNotFound) {
		c.reject(&answer.Envelope, insisted(602, "/FeCompConsReq/CbteNro"))
		return nil
	}
	if err != nil {
		return err
	}
	answer.ResultGet, err = decodeInvoice(series, invoice)
	return err
}

// lastAuthorised answers FECompUltimoAutorizado: 0 for a series that was never
// used, even if it rejects.
func (b *Backend) lastAuthorised(ctx context.Context, c *call, r *wsfev1.FECompUltimoAutorizadoRequest, answer *wsfev1.FECompUltimoAutorizadoAnswer) error {
	answer.PtoVta, answer.CbteTipo = r.PtoVta, r.CbteTipo
	p := b.register.Taxpayer(c.cuit).point(r.PtoVta)
	if !c.findings.failed() && (!p.registered(c.today) || p.emision() == "") {
		b.complain(c, "FECompUltimoAutorizado", 11002, "/PtoVta", "")
	}
	if c.findings.failed() {
		c.report(&answer.Envelope)
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
	if c.report(&answer.Envelope); !c.findings.failed() {
		answer.RegXReq = largestLot
	}
	return nil
}
