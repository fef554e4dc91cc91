package once

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// Answer returns the answer that the service would have given, as a pointer to the
// operation's answer type. It is nil if nothing was issued, or where the request cannot
// be had any more.
func (s *Settlement) Answer(p *Pending, now time.Time) any {
	if s.Verdict != Recovered && s.Verdict != Different {
		return nil
	}
	switch body := p.Body.(type) {
	case *wsfev1.FECAESolicitarRequest:
		answer := &wsfev1.FECAESolicitarAnswer{FeDetResp: &wsfev1.FeCAEDetResp{}}
		lot := wsfev1.LotOf(body)
		answer.FeCabResp = s.header(p, lot, now)
		for i := range lot.Len() {
			detail := wsfev1.FECAEDetResponse{DetResponse: s.detail(p, lot, i)}
			if detail.Resultado == wsfev1.Aprobado {
				detail.CAE, detail.CAEFchVto = s.Invoices[i].CodAutorizacion, s.Invoices[i].FchVto
			}
			answer.FeDetResp.FECAEDetResponse = append(answer.FeDetResp.FECAEDetResponse, detail)
		}
		return answer
	case *wsfev1.FECAEARegInformativoRequest:
		answer := &wsfev1.FECAEARegInformativoAnswer{FeDetResp: &wsfev1.FeCAEADetResp{}}
		lot := wsfev1.LotOf(body)
		answer.FeCabResp = s.header(p, lot, now)
		for i := range lot.Len() {
			answer.FeDetResp.FECAEADetResponse = append(answer.FeDetResp.FECAEADetResponse,
				wsfev1.FECAEADetResponse{DetResponse: s.detail(p, lot, i), CAEA: lot.CAEAInvoice(i).CAEA})
		}
		return answer
	case *wsfev1.FECAEASolicitarRequest:
		return &wsfev1.FECAEASolicitarAnswer{ResultGet: s.Advance}
	case *wsfev1.FECAEASinMovimientoRequest:
		return &wsfev1.FECAEASinMovimientoInformarAnswer{FECAEASinMov: *s.SinMovimiento, Resultado: wsfev1.Aprobado}
	}
	return nil
}

// Answer rebuilds the answer to a kept exchange from its summary, as a pointer to the answer
// type of the repeated request; nil if the summary does not suffice. It has no
// Observaciones.
func (k *Kept) Answer(body any) any {
	r := k.Record
	switch request := body.(type) {
	case *wsfev1.FECAESolicitarRequest:
		lot := wsfev1.LotOf(request)
		answer := &wsfev1.FECAESolicitarAnswer{FeCabResp: k.header(lot), FeDetResp: &wsfev1.FeCAEDetResp{}}
		for i := range min(lot.Len(), len(r.Vouchers)) {
			v := r.Vouchers[i]
			answer.FeDetResp.FECAEDetResponse = append(answer.FeDetResp.FECAEDetResponse, wsfev1.FECAEDetResponse{
				DetResponse: wsfev1.AnswerTo(lot.Invoice(i), cmp.Or(v.Resultado, wsfev1.Rechazado)),
				CAE:         v.Code, CAEFchVto: wsfev1.Date(v.Expires),
			})
		}
		return answer
	case *wsfev1.FECAEARegInformativoRequest:
		lot := wsfev1.LotOf(request)
		answer := &wsfev1.FECAEARegInformativoAnswer{FeCabResp: k.header(lot), FeDetResp: &wsfev1.FeCAEADetResp{}}
		for i := range min(lot.Len(), len(r.Vouchers)) {
			v := r.Vouchers[i]
			answer.FeDetResp.FECAEADetResponse = append(answer.FeDetResp.FECAEADetResponse, wsfev1.FECAEADetResponse{
				DetResponse: wsfev1.AnswerTo(lot.Invoice(i), cmp.Or(v.Resultado, wsfev1.Rechazado)), CAEA: lot.CAEAInvoice(i).CAEA,
			})
		}
		return answer
	case *wsfev1.FECAEASinMovimientoRequest:
		return &wsfev1.FECAEASinMovimientoInformarAnswer{
			FECAEASinMov: wsfev1.FECAEASinMov{CAEA: request.CAEA, PtoVta: request.PtoVta, FchProceso: wsfev1.DateOf(r.Time)},
			Resultado:    wsfev1.Aprobado,
		}
	}
	return nil
}

func (k *Kept) header(lot *wsfev1.Lot) *wsfev1.FeCabResp {
	r := k.Record
	return &wsfev1.FeCabResp{
		Cuit: r.Cuit, PtoVta: r.PtoVta, CbteTipo: r.CbteTipo, FchProceso: wsfev1.TimestampOf(r.Time),
		CantReg: lot.Header.CantReg, Resultado: r.Resultado, Reproceso: "N",
	}
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
