package backend

import (
	"fmt"

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
