package once

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// Answer returns the answer that the service would have given, as a pointer to the
// operation's answer type. It is nil if nothing was issued, or where the request cannot
// be had any more.
func (s *Settlement) Answer(p *Pending, now time.Time) any {
	if s.Verdict != Recovered && s.Verdict != Different {
		return nil
	}
	if lot := wsfev1.LotOf(p.Body); lot != nil {
		var details []wsfev1.FECAEDetResponse
		for i := range lot.Len() {
			detail := wsfev1.FECAEDetResponse{DetResponse: s.detail(p, lot, i)}
			if detail.Resultado == wsfev1.Aprobado {
				detail.CAE, detail.CAEFchVto = s.Invoices[i].CodAutorizacion, s.Invoices[i].FchVto
			}
			details = append(details, detail)
		}
		return lotAnswer(p.Body, s.header(p, lot, now), details)
	}
	switch p.Body.(type) {
	case *wsfev1.FECAEASolicitarRequest:
		return &wsfev1.FECAEASolicitarAnswer{ResultGet: s.Advance}
	case *wsfev1.FECAEASinMovimientoRequest:
		return &wsfev1.FECAEASinMovimientoInformarAnswer{FECAEASinMov: *s.SinMovimiento, Resultado: wsfev1.Aprobado}
	}
	return nil
}

// AnswerFrom rebuilds the answer to a kept exchange from its summary, as a pointer to the answer
// type of the repeated request; nil if the summary does not suffice. It has no
// Observaciones.
func AnswerFrom(r *audit.Record, body any) any {
	if lot := wsfev1.LotOf(body); lot != nil {
		var details []wsfev1.FECAEDetResponse
		for i, v := range r.Vouchers[:min(lot.Len(), len(r.Vouchers))] {
			details = append(details, wsfev1.FECAEDetResponse{
				DetResponse: wsfev1.AnswerTo(lot.Invoice(i), cmp.Or(v.Resultado, wsfev1.Rechazado)),
				CAE:         v.Code, CAEFchVto: wsfev1.Date(v.Expires),
			})
		}
		return lotAnswer(body, &wsfev1.FeCabResp{
			Cuit: r.Cuit, PtoVta: r.PtoVta, CbteTipo: r.CbteTipo, FchProceso: wsfev1.TimestampOf(r.Time),
			CantReg: lot.Header.CantReg, Resultado: r.Resultado, Reproceso: "N",
		}, details)
	}
	if request, ok := body.(*wsfev1.FECAEASinMovimientoRequest); ok {
		return &wsfev1.FECAEASinMovimientoInformarAnswer{
			FECAEASinMov: wsfev1.FECAEASinMov{CAEA: request.CAEA, PtoVta: request.PtoVta, FchProceso: wsfev1.DateOf(r.Time)},
			Resultado:    wsfev1.Aprobado,
		}
	}
	return nil
}

// lotAnswer is the answer to a lot with these details. Those to FECAEARegInformativo have the code that was sent.
func lotAnswer(body any, header *wsfev1.FeCabResp, details []wsfev1.FECAEDetResponse) any {
	report, ok := body.(*wsfev1.FECAEARegInformativoRequest)
	if !ok {
		return &wsfev1.FECAESolicitarAnswer{FeCabResp: header, FeDetResp: &wsfev1.FeCAEDetResp{FECAEDetResponse: details}}
	}
	answer := &wsfev1.FECAEARegInformativoAnswer{FeCabResp: header, FeDetResp: &wsfev1.FeCAEADetResp{}}
	for i, d := range details {
		answer.FeDetResp.FECAEADetResponse = append(answer.FeDetResp.FECAEADetResponse,
			wsfev1.FECAEADetResponse{DetResponse: d.DetResponse, CAEA: report.FeCAEARegInfReq.FeDetReq.FECAEADetRequest[i].CAEA})
	}
	return answer
}

// Approved counts the invoices at the beginning of the lot that the service has as sent.
func (s *Settlement) Approved() int {
	for i, invoice := range s.Invoices {
		if invoice == nil || s.Verdict == Different && i == s.Differing {
			return i
		}
	}
	return len(s.Invoices)
}

func (s *Settlement) header(p *Pending, lot *wsfev1.Lot, now time.Time) *wsfev1.FeCabResp {
	header := &wsfev1.FeCabResp{
		Cuit: p.Key.Cuit, PtoVta: p.Key.PtoVta, CbteTipo: p.Key.CbteTipo, CantReg: lot.Header.CantReg,
		FchProceso: wsfev1.TimestampOf(now), Resultado: wsfev1.Parcial, Reproceso: "N",
	}
	switch approved := s.Approved(); approved {
	case 0:
		header.Resultado = wsfev1.Rechazado
	case lot.Len():
		header.Resultado = wsfev1.Aprobado
	}
	for _, invoice := range s.Invoices[:s.Approved()] {
		header.FchProceso = invoice.FchProceso
	}
	return header
}

// detail answers one invoice: with the service's result, with the code of a sequence break if
// the number belongs to another invoice, or with 602 if the service has no such invoice.
func (s *Settlement) detail(p *Pending, lot *wsfev1.Lot, i int) wsfev1.DetResponse {
	sent := lot.Invoice(i)
	switch approved := s.Approved(); {
	case i < approved:
		return p.echo(sent, s.Invoices[i])
	case i == approved && s.Verdict == Different:
		detail := wsfev1.AnswerTo(sent, wsfev1.Rechazado)
		detail.Observe(p.Operation.SequenceCode(), s.Explain(p, sent.CbteDesde))
		return detail
	default:
		detail := wsfev1.AnswerTo(sent, wsfev1.Rechazado)
		text := "El servicio no tiene el comprobante %d: no fue emitido y puede enviarse de nuevo."
		if p.isReport() {
			text = "El servicio no tiene el comprobante %d: no fue informado y puede enviarse de nuevo."
		}
		detail.Observe(602, fmt.Sprintf(text, sent.CbteDesde))
		return detail
	}
}

// echo answers an invoice that the service has. Members that the trail does not keep are taken from there.
func (p *Pending) echo(sent *wsfev1.FECAEDetRequest, kept *wsfev1.FECompConsResult) wsfev1.DetResponse {
	detail := wsfev1.AnswerTo(sent, wsfev1.Aprobado)
	detail.CbteFch, detail.Observaciones = kept.CbteFch, kept.Observaciones
	if p.Redacted["Concepto"] {
		detail.Concepto = kept.Concepto
	}
	if p.Redacted["DocTipo"] {
		detail.DocTipo = kept.DocTipo
	}
	if p.Redacted["DocNro"] {
		detail.DocNro = kept.DocNro
	}
	return detail
}

// isReport reports whether the request tells of invoices that are issued already: they keep their numbers, whatever the
// service says.
func (p *Pending) isReport() bool { return p.Operation.Name == "FECAEARegInformativo" }

// Explain names the differences to the invoice that has the number.
func (s *Settlement) Explain(p *Pending, number int64) string {
	var parts []string
	for _, d := range s.Differences[:min(3, len(s.Differences))] {
		parts = append(parts, fmt.Sprintf("%s enviado %s, autorizado %s", d.Field, d.Sent, d.Kept))
	}
	text := "El número %d ya está autorizado para otro comprobante (%s). Consulte FECompUltimoAutorizado y numere de nuevo."
	if p.isReport() {
		text = "El número %d ya está informado con otro contenido (%s). El comprobante que se entregó con ese número no se numera de nuevo: verifique cuál de los dos es el correcto."
	}
	return fmt.Sprintf(text, number, strings.Join(parts, "; "))
}
