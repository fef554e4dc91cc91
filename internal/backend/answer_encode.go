package backend

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/wsfev1"
)

// EncodeAnswer returns an answer in JSON, byte for byte as package json writes it. The one of a lot is long, and is
// written by hand.
func EncodeAnswer(answer any) ([]byte, error) {
	authorised, ok := answer.(*wsfev1.FECAESolicitarAnswer)
	if !ok || authorised == nil || authorised.FeCabResp == nil || authorised.FeDetResp == nil {
		return json.Marshal(answer)
	}
	var w answerWriter
	b := w.authorised(authorised)
	if w.err != nil {
		return nil, fmt.Errorf("encode answer: %w", w.err)
	}
	return b, nil
}

// ReadsAsMade reports whether whoever decodes the JSON of an answer gets the same answer, which shares nothing with
// another one, so that it need not be decoded in this process.
func ReadsAsMade(answer any) bool {
	a, ok := answer.(*wsfev1.FECAESolicitarAnswer)
	return ok && a != nil && a.FeCabResp != nil && a.FeDetResp != nil && a.Envelope == (wsfev1.Envelope{})
}

// answerWriter appends an answer.
type answerWriter struct{ detailWriter }

func (w *answerWriter) authorised(a *wsfev1.FECAESolicitarAnswer) []byte {
	details := a.FeDetResp.FECAEDetResponse
	b := w.header(make([]byte, 0, 512), a.FeCabResp)
	b = append(b, `,"FeDetResp":{"FECAEDetResponse":[`...)
	start := len(b)
	for i := range details {
		if i == 1 { // the others are about as long as the first one
			b = slices.Grow(b, (len(b)-start+3)*(len(details)-1)+64)
		}
		if i > 0 {
			b = append(b, ',')
		}
		d := &details[i]
		b = w.detail(b, &d.DetResponse)
		b = w.text(b, `,"CAE":`, d.CAE)
		b = w.text(b, `,"CAEFchVto":`, string(d.CAEFchVto))
		b = append(b, '}')
	}
	b = append(b, "]}"...)
	if a.Events != nil {
		b = w.any(b, `,"Events":`, a.Events)
	}
	if a.Errors != nil {
		b = w.any(b, `,"Errors":`, a.Errors)
	}
	return append(b, '}')
}

func (w *answerWriter) header(b []byte, h *wsfev1.FeCabResp) []byte {
	b = w.integer(b, `{"FeCabResp":{"Cuit":`, int64(h.Cuit))
	b = w.integer(b, `,"PtoVta":`, int64(h.PtoVta))
	b = w.integer(b, `,"CbteTipo":`, int64(h.CbteTipo))
	b = w.text(b, `,"FchProceso":`, string(h.FchProceso))
	b = w.integer(b, `,"CantReg":`, int64(h.CantReg))
	b = w.text(b, `,"Resultado":`, h.Resultado)
	b = w.text(b, `,"Reproceso":`, h.Reproceso)
	return append(b, '}')
}

// detail leaves the object open: its last members differ between the operations.
func (w *answerWriter) detail(b []byte, d *wsfev1.DetResponse) []byte {
	b = w.integer(b, `{"Concepto":`, int64(d.Concepto))
	b = w.integer(b, `,"DocTipo":`, int64(d.DocTipo))
	b = w.integer(b, `,"DocNro":`, d.DocNro)
	b = w.integer(b, `,"CbteDesde":`, d.CbteDesde)
	b = w.integer(b, `,"CbteHasta":`, d.CbteHasta)
	b = w.text(b, `,"CbteFch":`, string(d.CbteFch))
	b = w.text(b, `,"Resultado":`, d.Resultado)
	if d.Observaciones != nil {
		b = w.any(b, `,"Observaciones":`, d.Observaciones)
	}
	return b
}

// any appends members that are rare, or short.
func (w *answerWriter) any(b []byte, name string, value any) []byte {
	encoded, err := json.Marshal(value)
	if err != nil && w.err == nil {
		w.err = err
	}
	return append(append(b, name...), encoded...)
}
