package backend

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/wsfev1"
)

// details are the invoices of a lot as the ledger keeps them (Invoice.Detail), one after the other in one buffer.
type details struct {
	detailWriter
	ends []int
}

// detailsOf encodes the invoices of a lot. dates are their CbteFch, with the operation's default.
func detailsOf(lot *wsfev1.Lot, dates []wsfev1.Date) (*details, error) {
	d := &details{ends: make([]int, 0, lot.Len())}
	for i := range lot.Len() {
		var generated wsfev1.Timestamp
		if advance := lot.CAEAInvoice(i); advance != nil {
			generated = advance.CbteFchHsGen
		}
		if err := d.detail(lot.Invoice(i), dates[i], generated); err != nil {
			return nil, err
		}
		if d.ends = append(d.ends, len(d.b)); i == 0 {
			// The invoices of a lot are about as long as its first one.
			d.b = slices.Grow(d.b, (lot.Len()-1)*(len(d.b)+len(d.b)/16))
		}
	}
	return d, nil
}

// of returns the invoice at a position of the lot.
func (d *details) of(i int) []byte {
	start := 0
	if i > 0 {
		start = d.ends[i-1]
	}
	return d.b[start:d.ends[i]:d.ends[i]]
}

// detail appends a keptDetail in JSON, as package json would write it, of the invoice as the service echoes it:
// amounts without the zeros that end them, 0 for the ones that were left out, no empty lists.
func (w *detailWriter) detail(d *wsfev1.FECAEDetRequest, date wsfev1.Date, generated wsfev1.Timestamp) error {
	w.open('{')
	w.integer("Concepto", int64(d.Concepto))
	w.integer("DocTipo", int64(d.DocTipo))
	w.integer("DocNro", d.DocNro)
	w.integer("CbteDesde", d.CbteDesde)
	w.integer("CbteHasta", d.CbteHasta)
	w.text("CbteFch", string(date))
	w.amount("ImpTotal", d.ImpTotal)
	w.amount("ImpTotConc", d.ImpTotConc)
	w.amount("ImpNeto", d.ImpNeto)
	w.amount("ImpOpEx", d.ImpOpEx)
	w.amount("ImpTrib", d.ImpTrib)
	w.amount("ImpIVA", d.ImpIVA)
	w.text("FchServDesde", string(d.FchServDesde))
	w.text("FchServHasta", string(d.FchServHasta))
	w.text("FchVtoPago", string(d.FchVtoPago))
	w.text("MonId", d.MonId)
	if d.MonCotiz.Sent() { // a rate may be left out on purpose (CanMisMonExt), so it stays out
		w.amount("MonCotiz", d.MonCotiz)
	}
	w.textIfAny("CanMisMonExt", d.CanMisMonExt)
	if d.CondicionIVAReceptorId != nil {
		w.integer("CondicionIVAReceptorId", int64(*d.CondicionIVAReceptorId))
	}
	w.lists(d)
	w.textIfAny("CbteFchHsGen", string(generated)) // kept although no operation echoes it
	w.close('}')
	if w.err != nil {
		return fmt.Errorf("encode invoice: %w", w.err)
	}
	return nil
}

func (w *detailWriter) lists(d *wsfev1.FECAEDetRequest) {
	if d.CbtesAsoc != nil {
		writeList(w, "CbtesAsoc", "CbteAsoc", d.CbtesAsoc.CbteAsoc, (*detailWriter).associated)
	}
	if d.Tributos != nil {
		writeList(w, "Tributos", "Tributo", d.Tributos.Tributo, (*detailWriter).tax)
	}
	if d.Iva != nil {
		writeList(w, "Iva", "AlicIva", d.Iva.AlicIva, (*detailWriter).rate)
	}
	if d.Opcionales != nil {
		writeList(w, "Opcionales", "Opcional", d.Opcionales.Opcional, (*detailWriter).optional)
	}
	if d.Compradores != nil {
		writeList(w, "Compradores", "Comprador", d.Compradores.Comprador, (*detailWriter).buyer)
	}
	if d.PeriodoAsoc != nil {
		w.name("PeriodoAsoc")
		w.open('{')
		w.text("FchDesde", string(d.PeriodoAsoc.FchDesde))
		w.text("FchHasta", string(d.PeriodoAsoc.FchHasta))
		w.close('}')
	}
	if d.Actividades != nil {
		writeList(w, "Actividades", "Actividad", d.Actividades.Actividad, (*detailWriter).activity)
	}
}

func (w *detailWriter) associated(v *wsfev1.CbteAsoc) {
	w.integer("Tipo", int64(v.Tipo))
	w.integer("PtoVta", int64(v.PtoVta))
	w.integer("Nro", v.Nro)
	w.textIfAny("Cuit", v.Cuit)
	w.textIfAny("CbteFch", string(v.CbteFch))
}

func (w *detailWriter) tax(t *wsfev1.Tributo) {
	w.integer("Id", int64(t.Id))
	w.text("Desc", t.Desc)
	w.amount("BaseImp", t.BaseImp)
	w.amount("Alic", t.Alic)
	w.amount("Importe", t.Importe)
}

func (w *detailWriter) rate(a *wsfev1.AlicIva) {
	w.integer("Id", int64(a.Id))
	w.amount("BaseImp", a.BaseImp)
	w.amount("Importe", a.Importe)
}

func (w *detailWriter) optional(o *wsfev1.Opcional) {
	w.text("Id", o.Id)
	w.text("Valor", o.Valor)
}

func (w *detailWriter) buyer(c *wsfev1.Comprador) {
	w.integer("DocTipo", int64(c.DocTipo))
	w.integer("DocNro", c.DocNro)
	w.amount("Porcentaje", c.Porcentaje)
}

func (w *detailWriter) activity(a *wsfev1.Actividad) { w.integer("Id", a.Id) }

// detailWriter appends JSON.
type detailWriter struct {
	b []byte
	// more: the next member or item needs a comma before it.
	more bool
	err  error
}

func (w *detailWriter) open(bracket byte) { w.b, w.more = append(w.b, bracket), false }

func (w *detailWriter) close(bracket byte) { w.b, w.more = append(w.b, bracket), true }

func (w *detailWriter) next() {
	if w.more {
		w.b = append(w.b, ',')
	}
	w.more = true
}

func (w *detailWriter) name(name string) {
	w.next()
	w.b = append(w.b, '"')
	w.b = append(w.b, name...)
	w.b = append(w.b, '"', ':')
}

func (w *detailWriter) integer(name string, n int64) {
	w.name(name)
	w.b = strconv.AppendInt(w.b, n, 10)
}

func (w *detailWriter) text(name, text string) {
	w.name(name)
	var err error
	w.b, err = jsontext.AppendQuote(w.b, text)
	w.err = cmp.Or(w.err, err)
}

func (w *detailWriter) textIfAny(name, text string) {
	if text != "" {
		w.text(name, text)
	}
}

// amount writes 0 for an amount that was not sent.
func (w *detailWriter) amount(name string, a wsfev1.Amount) {
	w.name(name)
	w.b = a.Trim().Append(w.b)
}

// writeList writes an object that holds one list, nothing if the list is empty.
func writeList[T any](w *detailWriter, object, list string, items []T, write func(*detailWriter, *T)) {
	if len(items) == 0 {
		return
	}
	w.name(object)
	w.open('{')
	w.name(list)
	w.open('[')
	for i := range items {
		w.next()
		w.open('{')
		write(w, &items[i])
		w.close('}')
	}
	w.close(']')
	w.close('}')
}
