package backend

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/wsfev1"
)

// minCodesLeft is how many codes an import must leave to the ledger: one code that was
// made up by hand must not use up all of them.
const minCodesLeft = 100_000_000

// wrong is the error for a member that is missing or malformed.
func wrong(member, form string) error { return fmt.Errorf("%s is missing or is not %s", member, form) }

const (
	formNumber = "a positive number"
	formCuit   = "a positive number of eleven digits at most"
	formDate   = "a day written yyyymmdd"
	formMoment = "a moment written yyyymmddhhmiss"
)

func (i *importer) takeCAEA(l *caeaLine) error {
	switch {
	case !l.Cuit.Possible():
		return wrong("Cuit", formCuit)
	case !wsfev1.IsPeriodo(l.Periodo):
		return wrong("Periodo", "a month written yyyymm")
	case !wsfev1.IsOrden(l.Orden):
		return wrong("Orden", "1 or 2")
	case !l.FchVigDesde.Valid():
		return wrong("FchVigDesde", formDate)
	case !l.FchVigHasta.Valid():
		return wrong("FchVigHasta", formDate)
	case !l.FchTopeInf.Valid():
		return wrong("FchTopeInf", formDate)
	case !l.FchProceso.Valid():
		return wrong("FchProceso", formMoment)
	}
	if err := errors.Join(i.code("CAEA", l.CAEA), l.checkFortnight()); err != nil {
		return err
	}
	i.done.CAEAs++
	err := i.tx.AddCAEA(i.ctx, CAEA{
		Code: l.CAEA, Cuit: l.Cuit, Periodo: l.Periodo, Orden: l.Orden,
		FchVigDesde: l.FchVigDesde, FchVigHasta: l.FchVigHasta, FchTopeInf: l.FchTopeInf, FchProceso: l.FchProceso,
	})
	if errors.Is(err, ErrExists) {
		return fmt.Errorf("the CAEA %s, or another one of %s for %d/%d, is %w", l.CAEA, l.Cuit, l.Periodo, l.Orden, err)
	}
	if err != nil {
		return err
	}
	i.advance[l.CAEA] = advanceCode{l.Cuit, l.FchVigHasta}
	return i.give("CAEA", l.CAEA)
}

func (i *importer) takeSinMovimiento(l *sinMovimientoLine) error {
	switch {
	case l.PtoVta < 1:
		return wrong("PtoVta", formNumber)
	case !l.FchProceso.Valid():
		return wrong("FchProceso", formDate)
	}
	if err := i.code("CAEA", l.CAEA); err != nil {
		return err
	}
	if _, err := i.advanceOf("CAEA", l.CAEA); err != nil {
		return err
	}
	i.done.SinMovimiento++
	err := i.tx.AddSinMovimiento(i.ctx, SinMovimiento{CAEA: l.CAEA, PtoVta: l.PtoVta, FchProceso: l.FchProceso})
	if errors.Is(err, ErrExists) {
		return fmt.Errorf("the declaration of point of sale %d without movement under the CAEA %s is %w", l.PtoVta, l.CAEA, err)
	}
	return err
}

func (i *importer) takeInvoice(l *invoiceLine) error {
	switch {
	case !l.Cuit.Possible():
		return wrong("Cuit", formCuit)
	case l.PtoVta < 1:
		return wrong("PtoVta", formNumber)
	case l.CbteTipo < 1:
		return wrong("CbteTipo", formNumber)
	case l.EmisionTipo != EmisionCAE && l.EmisionTipo != EmisionCAEA:
		return wrong("EmisionTipo", "CAE or CAEA")
	case !l.CbteFch.Valid():
		return wrong("CbteFch", formDate)
	case !l.FchVto.Valid():
		return wrong("FchVto", formDate)
	case !l.FchProceso.Valid():
		return wrong("FchProceso", formMoment)
	}
	if err := errors.Join(i.code("CodAutorizacion", l.CodAutorizacion), l.check()); err != nil {
		return err
	}
	err := i.add(Series{l.Cuit, l.PtoVta, l.CbteTipo}, Invoice{
		CbteDesde: l.CbteDesde, CbteHasta: l.CbteHasta, CbteFch: l.CbteFch, Code: l.CodAutorizacion,
		EmisionTipo: l.EmisionTipo, FchVto: l.FchVto, FchProceso: l.FchProceso,
		Detail: l.Detail, Observaciones: l.Observaciones,
	})
	if err != nil {
		return err
	}
	return i.checkCode(l)
}

// check decodes the invoice's JSON into the types that read it later. It compares the members that
// are in the JSON and in the line: two answers about one invoice must not differ.
func (l *invoiceLine) check() error {
	var detail keptDetail
	var notes wsfev1.Observaciones
	if err := decodeObject("Detail", l.Detail, &detail); err != nil {
		return err
	}
	if detail.CbteDesde != l.CbteDesde || detail.CbteHasta != l.CbteHasta || detail.CbteFch != l.CbteFch {
		return errors.New("CbteDesde, CbteHasta and CbteFch must be in Detail too, and the same")
	}
	if l.Observaciones == nil {
		return nil
	}
	return decodeObject("Observaciones", l.Observaciones, &notes)
}

func decodeObject(member string, value jsontext.Value, into any) error {
	if value.Kind() != jsontext.KindBeginObject {
		return wrong(member, "an object")
	}
	if err := json.Unmarshal(value, into, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("%s: %w", member, plainError(err))
	}
	return nil
}

// plainError words the mistake in a line without the names of Go types.
func plainError(err error) error {
	semantic, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return err
	}
	switch {
	case errors.Is(semantic.Err, json.ErrUnknownName):
		return fmt.Errorf("there is no member %q", semantic.JSONPointer.LastToken())
	case semantic.Err == nil:
		return fmt.Errorf("%s: a %s does not fit here", semantic.JSONPointer, semantic.JSONKind)
	}
	return fmt.Errorf("%s: %w", semantic.JSONPointer, semantic.Err)
}

// code checks an authorisation code, and remembers its serial number if the code is one of this
// package's.
func (i *importer) code(member, code string) error {
	if !fourteenDigits(code) {
		return wrong(member, "a text of 14 digits")
	}
	if _, simulated := AuthorisationCode(code); !simulated {
		return nil
	}
	serial := serialOf(code)
	if serial > maxSerial-minCodesLeft {
		return fmt.Errorf("%s %s has the serial number %d: it would leave the ledger fewer than %d codes", member, code, serial, minCodesLeft)
	}
	i.lastSerial = max(i.lastSerial, serial)
	return nil
}

// add lets an invoice wait for the others of its series that follow.
func (i *importer) add(series Series, v Invoice) error {
	if series != i.series || len(i.batch) >= maxBatch || i.batchBytes >= maxBatchBytes {
		if err := i.flush(); err != nil {
			return err
		}
		state, err := i.tx.Series(i.ctx, series)
		if err != nil {
			return err
		}
		i.series, i.state = series, state
	}
	// The ledger would refuse it too, but with the whole batch.
	if !i.state.follows(&v) {
		return fmt.Errorf("%w: %d to %d of %s after %d of %s", ErrSequence, v.CbteDesde, v.CbteHasta, v.CbteFch, i.state.Last, i.state.LastFch)
	}
	i.state = SeriesState{Last: v.CbteHasta, LastFch: v.CbteFch}
	i.batch = append(i.batch, v)
	i.batchBytes += len(v.Detail) + len(v.Observaciones)
	i.done.Invoices++
	return nil
}

func (i *importer) flush() error {
	if len(i.batch) == 0 {
		return nil
	}
	err := i.tx.Append(i.ctx, i.series, i.batch)
	clear(i.batch)
	i.batch, i.batchBytes = i.batch[:0], 0
	return err
}
