package backend

import (
	"fmt"
	"slices"
	"sync"

	"github.com/fielato/fielato/wsfev1"
)

// details are the invoices of a lot as the ledger keeps them (Invoice.Detail), one after the other in one buffer.
type details struct {
	detailWriter
	b    []byte
	ends []int
}

// detailsPool has buffers for the invoices of later lots. Those of the largest lots are not kept.
var detailsPool = sync.Pool{New: func() any { return new(details) }}

const maxPooledDetails = 1 << 20

// detailsOf encodes the invoices of a lot. dates are their CbteFch, with the operation's default.
func detailsOf(lot *wsfev1.Lot, dates []wsfev1.Date) (*details, error) {
	d := detailsPool.Get().(*details)
	d.b, d.ends, d.err = d.b[:0], d.ends[:0], nil
	for i := range lot.Len() {
		var generated wsfev1.Timestamp
		if advance := lot.CAEAInvoice(i); advance != nil {
			generated = advance.CbteFchHsGen
		}
		d.b = d.detail(d.b, lot.Invoice(i), dates[i], generated)
		if d.err != nil {
			return nil, fmt.Errorf("encode invoice: %w", d.err)
		}
		if d.ends = append(d.ends, len(d.b)); i == 0 {
			// The invoices of a lot are about as long as its first one.
			d.b = slices.Grow(d.b, (lot.Len()-1)*(len(d.b)+len(d.b)/16))
		}
	}
	return d, nil
}

// release lets another lot have the memory. Nothing may hold what of returned any more; a ledger copies it.
func (d *details) release() {
	if cap(d.b) <= maxPooledDetails {
		detailsPool.Put(d)
	}
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
func (w *detailWriter) detail(b []byte, d *wsfev1.FECAEDetRequest, date wsfev1.Date, generated wsfev1.Timestamp) []byte {
	b = w.integer(b, `{"Concepto":`, int64(d.Concepto))
	b = w.integer(b, `,"DocTipo":`, int64(d.DocTipo))
	b = w.integer(b, `,"DocNro":`, d.DocNro)
	b = w.integer(b, `,"CbteDesde":`, d.CbteDesde)
	b = w.integer(b, `,"CbteHasta":`, d.CbteHasta)
	b = w.text(b, `,"CbteFch":`, string(date))
	b = w.amount(b, `,"ImpTotal":`, &d.ImpTotal)
	b = w.amount(b, `,"ImpTotConc":`, &d.ImpTotConc)
	b = w.amount(b, `,"ImpNeto":`, &d.ImpNeto)
	b = w.amount(b, `,"ImpOpEx":`, &d.ImpOpEx)
	b = w.amount(b, `,"ImpTrib":`, &d.ImpTrib)
	b = w.amount(b, `,"ImpIVA":`, &d.ImpIVA)
	b = w.text(b, `,"FchServDesde":`, string(d.FchServDesde))
	b = w.text(b, `,"FchServHasta":`, string(d.FchServHasta))
	b = w.text(b, `,"FchVtoPago":`, string(d.FchVtoPago))
	b = w.text(b, `,"MonId":`, d.MonId)
	if d.MonCotiz.Sent() { // a rate may be left out on purpose (CanMisMonExt), so it stays out
		b = w.amount(b, `,"MonCotiz":`, &d.MonCotiz)
	}
	b = w.textIfAny(b, `,"CanMisMonExt":`, d.CanMisMonExt)
	if d.CondicionIVAReceptorId != nil {
		b = w.integer(b, `,"CondicionIVAReceptorId":`, int64(*d.CondicionIVAReceptorId))
	}
	b = w.lists(b, d)
	b = w.textIfAny(b, `,"CbteFchHsGen":`, string(generated)) // kept although no operation echoes it
	return append(b, '}')
}

func (w *detailWriter) lists(b []byte, d *wsfev1.FECAEDetRequest) []byte {
	if d.CbtesAsoc != nil {
		b = writeList(w, b, `,"CbtesAsoc":{"CbteAsoc":[`, d.CbtesAsoc.CbteAsoc, (*detailWriter).associated)
	}
	if d.Tributos != nil {
		b = writeList(w, b, `,"Tributos":{"Tributo":[`, d.Tributos.Tributo, (*detailWriter).tax)
	}
	if d.Iva != nil {
		b = writeList(w, b, `,"Iva":{"AlicIva":[`, d.Iva.AlicIva, (*detailWriter).rate)
	}
	if d.Opcionales != nil {
		b = writeList(w, b, `,"Opcionales":{"Opcional":[`, d.Opcionales.Opcional, (*detailWriter).optional)
	}
	if d.Compradores != nil {
		b = writeList(w, b, `,"Compradores":{"Comprador":[`, d.Compradores.Comprador, (*detailWriter).buyer)
	}
	if d.PeriodoAsoc != nil {
		b = w.text(b, `,"PeriodoAsoc":{"FchDesde":`, string(d.PeriodoAsoc.FchDesde))
		b = w.text(b, `,"FchHasta":`, string(d.PeriodoAsoc.FchHasta))
		b = append(b, '}')
	}
	if d.Actividades != nil {
		b = writeList(w, b, `,"Actividades":{"Actividad":[`, d.Actividades.Actividad, (*detailWriter).activity)
	}
	return b
}

func (w *detailWriter) associated(b []byte, v *wsfev1.CbteAsoc) []byte {
	b = w.integer(b, `{"Tipo":`, int64(v.Tipo))
	b = w.integer(b, `,"PtoVta":`, int64(v.PtoVta))
	b = w.integer(b, `,"Nro":`, v.Nro)
	b = w.textIfAny(b, `,"Cuit":`, v.Cuit)
	return w.textIfAny(b, `,"CbteFch":`, string(v.CbteFch))
}

func (w *detailWriter) tax(b []byte, t *wsfev1.Tributo) []byte {
	b = w.integer(b, `{"Id":`, int64(t.Id))
	b = w.text(b, `,"Desc":`, t.Desc)
	b = w.amount(b, `,"BaseImp":`, &t.BaseImp)
	b = w.amount(b, `,"Alic":`, &t.Alic)
	return w.amount(b, `,"Importe":`, &t.Importe)
}

func (w *detailWriter) rate(b []byte, a *wsfev1.AlicIva) []byte {
	b = w.integer(b, `{"Id":`, int64(a.Id))
	b = w.amount(b, `,"BaseImp":`, &a.BaseImp)
	return w.amount(b, `,"Importe":`, &a.Importe)
}

func (w *detailWriter) optional(b []byte, o *wsfev1.Opcional) []byte {
	b = w.text(b, `{"Id":`, o.Id)
	return w.text(b, `,"Valor":`, o.Valor)
}

func (w *detailWriter) buyer(b []byte, c *wsfev1.Comprador) []byte {
	b = w.integer(b, `{"DocTipo":`, int64(c.DocTipo))
	b = w.integer(b, `,"DocNro":`, c.DocNro)
	return w.amount(b, `,"Porcentaje":`, &c.Porcentaje)
}

func (w *detailWriter) activity(b []byte, a *wsfev1.Actividad) []byte {
	return w.integer(b, `{"Id":`, a.Id)
}
