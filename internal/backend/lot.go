package backend

import (
	"context"
	"fmt"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// lotTask is one lot on its way through the ledger. The two issuing operations
// differ in what they check on an invoice and in the code that it gets.
type lotTask struct {
	backend *Backend
	call    *call
	lot     *wsfev1.Lot
	series  Series
	// dates are the CbteFch of each invoice, with the operation's default.
	dates []wsfev1.Date
	// examinations are the invoices as the register's and the ledger's rules see
	// them, and registered the register's findings about each.
	examinations []examination
	registered   [][]validate.Finding
	// details are the invoices as the ledger keeps them. They are encoded before
	// the Update: what runs inside it holds up every other issuer.
	details *details
	// processed is the moment of the request.
	processed wsfev1.Timestamp
	// outOfSequence returns the SEQ findings on an invoice.
	outOfSequence func(state SeriesState, i int) []validate.Finding
	// examine returns the ledger's findings about an invoice.
	examine func(ctx context.Context, tx Tx, i int) ([]validate.Finding, error)
	// stamp gives the approved invoices, the first ones of the lot, their codes.
	stamp func(ctx context.Context, tx Tx, approved []lotResult) error
}

func newLotTask(c *call, lot *wsfev1.Lot) *lotTask {
	return &lotTask{
		call: c, lot: lot,
		series:    Series{c.cuit, lot.Header.PtoVta, lot.Header.CbteTipo},
		dates:     make([]wsfev1.Date, lot.Len()),
		processed: wsfev1.TimestampOf(c.now),
	}
}

// lotResult is what becomes of one invoice.
type lotResult struct {
	index     int
	resultado string
	notes     *wsfev1.Observaciones
	// invoice is the one that the ledger gets, without Detail until then.
	invoice *Invoice
}

// outcome is what becomes of a lot.
type outcome struct {
	resultado string
	results   []lotResult
	// errors are the SEQ findings.
	errors []validate.Finding
}

// process takes a lot through the ledger. It returns no outcome if the request is rejected as
// a whole: the call's findings have the reason.
func (b *Backend) process(ctx context.Context, c *call, lot *wsfev1.Lot,
	prepare func(*call, *wsfev1.Lot) *lotTask,
) (task *lotTask, out *outcome, err error) {
	if lot.Len() == 0 && !c.findings.failed() {
		c.findings.add(insisted(10002, lot.HeaderPointer+"/CantReg"))
	}
	if c.findings.failed() {
		return nil, nil, nil
	}
	task = prepare(c, lot)
	if task.details, err = detailsOf(lot, task.dates); err != nil {
		return nil, nil, err
	}
	defer task.details.release()
	task.backend = b
	if err = task.consult(ctx); err != nil {
		return nil, nil, err
	}
	err = b.ledger.Update(ctx, func(tx Tx) (err error) {
		out, err = task.run(ctx, tx)
		return err
	})
	return task, out, err
}

// consult asks the register about every invoice, and the ledger about what they refer
// to, before the Update: what runs inside it holds up every other issuer.
func (t *lotTask) consult(ctx context.Context) error {
	issuer := t.backend.register.Taxpayer(t.call.cuit)
	t.examinations = make([]examination, t.lot.Len())
	t.registered = make([][]validate.Finding, t.lot.Len())
	for i := range t.examinations {
		x := &t.examinations[i]
		*x = examination{
			call: t.call, backend: t.backend, FECAEDetRequest: t.lot.Invoice(i), CAEA: t.lot.CAEAInvoice(i),
			CbteTipo: t.lot.Header.CbteTipo, Class: wsfev1.ClassOf(t.lot.Header.CbteTipo),
			register: t.backend.register, issuer: issuer, point: issuer.point(t.lot.Header.PtoVta),
			receiver: t.backend.register.receiverOf(t.lot.Invoice(i)),
			lot:      t.lot, index: i, date: t.dates[i],
		}
	}
	if err := t.readAssociates(ctx); err != nil {
		return fmt.Errorf("associated vouchers: %w", err)
	}
	for i := range t.examinations {
		t.registered[i] = t.backend.examineRegister(&t.examinations[i])
	}
	return nil
}

// run processes the lot in order. The first rejection ends it: the invoices after
// it are R without Observaciones and their numbers stay free.
func (t *lotTask) run(ctx context.Context, tx Tx) (*outcome, error) {
	state, err := tx.Series(ctx, t.series)
	if err != nil {
		return nil, fmt.Errorf("series %v: %w", t.series, err)
	}
	out := &outcome{results: make([]lotResult, t.lot.Len())}
	invoices := make([]Invoice, len(out.results))
	approved, ended := 0, false
	for i := range out.results {
		v := &out.results[i]
		v.index, v.resultado = i, wsfev1.Rechazado
		v.invoice = &invoices[i]
		*v.invoice = t.invoice(i)
		if ended {
			continue
		}
		sequence, err := t.judge(ctx, tx, state, v)
		if err != nil {
			return nil, err
		}
		out.errors = append(out.errors, sequence...)
		if ended = v.resultado == wsfev1.Rechazado; ended {
			continue
		}
		approved++
		state = SeriesState{Last: v.invoice.CbteHasta, LastFch: v.invoice.CbteFch}
	}
	out.resultado = resultado(approved, len(out.results))
	return out, t.keep(ctx, tx, out.results[:approved], invoices[:approved])
}

// judge decides on one invoice and returns its SEQ findings. These come first
// and hide all others, as the service does.
func (t *lotTask) judge(ctx context.Context, tx Tx, state SeriesState, v *lotResult) ([]validate.Finding, error) {
	rules := t.call.findings.invoices[v.index]
	sequence := join(ofWeight(rules, validate.SEQ), t.outOfSequence(state, v.index))
	if len(sequence) > 0 {
		return sequence, nil
	}
	own, err := t.examine(ctx, tx, v.index)
	if err != nil {
		return nil, err
	}
	ledger, err := t.backend.examineLedger(ctx, tx, &t.examinations[v.index])
	if err != nil {
		return nil, err
	}
	findings := join(rules, own, t.registered[v.index], ledger)
	if excluding := ofWeight(findings, validate.EXC); len(excluding) > 0 {
		v.notes = t.call.observaciones(v.index, validate.Reached(excluding))
		return nil, nil
	}
	v.resultado = wsfev1.Aprobado
	v.notes = t.call.observaciones(v.index, ofWeight(findings, validate.OBS))
	return nil, nil
}

func (t *lotTask) invoice(i int) Invoice {
	detail := t.lot.Invoice(i)
	return Invoice{
		CbteDesde: detail.CbteDesde, CbteHasta: detail.CbteHasta,
		CbteFch:    t.dates[i],
		FchProceso: t.processed,
	}
}

// keep gives the approved invoices their codes and appends them to the ledger.
func (t *lotTask) keep(ctx context.Context, tx Tx, approved []lotResult, invoices []Invoice) (err error) {
	if len(approved) == 0 {
		return nil
	}
	if err := t.stamp(ctx, tx, approved); err != nil {
		return fmt.Errorf("authorisation codes: %w", err)
	}
	for i := range invoices {
		invoices[i].Detail = t.details.of(i)
		if invoices[i].Observaciones, err = encodeNotes(approved[i].notes); err != nil {
			return err
		}
	}
	if err := tx.Append(ctx, t.series, invoices); err != nil {
		return fmt.Errorf("append to series %v: %w", t.series, err)
	}
	for i := range invoices { // the answer does not need it, and another lot gets its memory
		invoices[i].Detail = nil
	}
	return nil
}

// resultado is the header's verdict: a lot whose first invoice is rejected is R
// as a whole, because nothing after a rejection passes.
func resultado(approved, total int) string {
	switch approved {
	case 0:
		return wsfev1.Rechazado
	case total:
		return wsfev1.Aprobado
	}
	return wsfev1.Parcial
}

// header answers the request's header; Resultado is set later.
func header(c *call, lot *wsfev1.Lot) *wsfev1.FeCabResp {
	return &wsfev1.FeCabResp{
		Cuit: c.cuit, PtoVta: lot.Header.PtoVta, CbteTipo: lot.Header.CbteTipo,
		FchProceso: wsfev1.TimestampOf(c.now), CantReg: lot.Header.CantReg,
		Resultado: wsfev1.Rechazado, Reproceso: "N",
	}
}

// response answers one invoice, except for its code.
func (t *lotTask) response(v *lotResult) wsfev1.DetResponse {
	response := wsfev1.AnswerTo(t.lot.Invoice(v.index), v.resultado)
	response.CbteFch, response.Observaciones = v.invoice.CbteFch, v.notes
	return response
}
