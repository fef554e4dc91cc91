package backend

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/wsfev1"
)

// keptDetail is Invoice.Detail before it is encoded. Its form is what ledgers
// hold: fields may be added, none may change its meaning.
type keptDetail struct {
	wsfev1.FECAEDetRequest
	// CbteFchHsGen is kept although no operation echoes it.
	CbteFchHsGen wsfev1.Timestamp `json:",omitzero"`
}

func encodeDetail(detail keptDetail) ([]byte, error) {
	encoded, err := json.Marshal(&detail)
	if err != nil {
		return nil, fmt.Errorf("encode invoice: %w", err)
	}
	return encoded, nil
}

func encodeNotes(notes *wsfev1.Observaciones) ([]byte, error) {
	if notes == nil {
		return nil, nil
	}
	encoded, err := json.Marshal(notes)
	if err != nil {
		return nil, fmt.Errorf("encode observations: %w", err)
	}
	return encoded, nil
}

// decodeInvoice turns a kept invoice into the answer of FECompConsultar.
func decodeInvoice(series Series, invoice *Invoice) (*wsfev1.FECompConsResult, error) {
	var detail keptDetail
	if err := json.Unmarshal(invoice.Detail, &detail); err != nil {
		return nil, fmt.Errorf("invoice %d of series %v as kept in the ledger: %w", invoice.CbteDesde, series, err)
	}
	result := &wsfev1.FECompConsResult{
		FECAEDetRequest: detail.FECAEDetRequest,
		Resultado:       wsfev1.Aprobado,
		CodAutorizacion: invoice.Code,
		EmisionTipo:     invoice.EmisionTipo,
		FchVto:          invoice.FchVto,
		FchProceso:      invoice.FchProceso,
		PtoVta:          series.PtoVta,
		CbteTipo:        series.CbteTipo,
	}
	if len(invoice.Observaciones) > 0 {
		result.Observaciones = new(wsfev1.Observaciones)
		if err := json.Unmarshal(invoice.Observaciones, result.Observaciones); err != nil {
			return nil, fmt.Errorf("observations of invoice %d of series %v as kept in the ledger: %w", invoice.CbteDesde, series, err)
		}
	}
	return result, nil
}

// normalised returns the invoice as the service echoes it: amounts without the
// zeros that end them, 0 for the ones that were left out, no empty lists. It
// shares nothing that it changes with the request.
func normalised(sent *wsfev1.FECAEDetRequest) wsfev1.FECAEDetRequest {
	d := *sent
	for _, a := range []*wsfev1.Amount{&d.ImpTotal, &d.ImpTotConc, &d.ImpNeto, &d.ImpOpEx, &d.ImpTrib, &d.ImpIVA} {
		*a = plain(*a)
	}
	// A rate may be left out on purpose (CanMisMonExt), so it stays out.
	d.MonCotiz = d.MonCotiz.Trim()
	if d.Tributos != nil {
		list := slices.Clone(d.Tributos.Tributo)
		for i := range list {
			t := &list[i]
			t.BaseImp, t.Alic, t.Importe = plain(t.BaseImp), plain(t.Alic), plain(t.Importe)
		}
		d.Tributos = &wsfev1.Tributos{Tributo: list}
	}
	if d.Iva != nil {
		list := slices.Clone(d.Iva.AlicIva)
		for i := range list {
			list[i].BaseImp, list[i].Importe = plain(list[i].BaseImp), plain(list[i].Importe)
		}
		d.Iva = &wsfev1.Iva{AlicIva: list}
	}
	if d.Compradores != nil {
		list := slices.Clone(d.Compradores.Comprador)
		for i := range list {
			list[i].Porcentaje = plain(list[i].Porcentaje)
		}
		d.Compradores = &wsfev1.Compradores{Comprador: list}
	}
	dropEmptyLists(&d)
	return d
}

func plain(a wsfev1.Amount) wsfev1.Amount {
	if !a.Sent() {
		return wsfev1.AmountOf(0, 0)
	}
	return a.Trim()
}

func dropEmptyLists(d *wsfev1.FECAEDetRequest) {
	if d.CbtesAsoc != nil && len(d.CbtesAsoc.CbteAsoc) == 0 {
		d.CbtesAsoc = nil
	}
	if d.Tributos != nil && len(d.Tributos.Tributo) == 0 {
		d.Tributos = nil
	}
	if d.Iva != nil && len(d.Iva.AlicIva) == 0 {
		d.Iva = nil
	}
	if d.Opcionales != nil && len(d.Opcionales.Opcional) == 0 {
		d.Opcionales = nil
	}
	if d.Compradores != nil && len(d.Compradores.Comprador) == 0 {
		d.Compradores = nil
	}
	if d.Actividades != nil && len(d.Actividades.Actividad) == 0 {
		d.Actividades = nil
	}
}
