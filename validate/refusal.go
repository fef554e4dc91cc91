package validate

import (
	"strings"
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// Rejects reports whether any of the findings rejects the request.
func Rejects(findings []Finding) bool {
	for i := range findings {
		if findings[i].Severity.Rejects() {
			return true
		}
	}
	return false
}

// Refusal writes findings of rules as the service does: a pointer to the
// operation's answer type, in which the whole lot is rejected. What is wrong with
// the header stands in Errors, and then nothing was looked at, so there are no
// details; what is wrong with an invoice stands in its Observaciones.
//
// Nothing of the lot is issued: a gateway that refuses forwards no part of it.
// So every invoice is R, also those before the first that is wrong.
func Refusal(req *Request, findings []Finding, now time.Time) any {
	lot := wsfev1.LotOf(req.Body)
	if lot == nil {
		return errorsOnly(req, findings)
	}
	header := &wsfev1.FeCabResp{
		Cuit: wsfev1.AuthOf(req.Body).Cuit, PtoVta: lot.Header.PtoVta, CbteTipo: lot.Header.CbteTipo,
		FchProceso: wsfev1.TimestampOf(now), CantReg: lot.Header.CantReg,
		Resultado: wsfev1.Rechazado, Reproceso: "N",
	}
	envelope, headerFault := envelopeOf(findings)
	var details []wsfev1.DetResponse
	if !headerFault {
		details = rejectedDetails(lot, findings)
	}
	switch body := req.Body.(type) {
	case *wsfev1.FECAESolicitarRequest:
		answer := &wsfev1.FECAESolicitarAnswer{FeCabResp: header, Envelope: envelope}
		if details != nil {
			answer.FeDetResp = &wsfev1.FeCAEDetResp{}
			for _, d := range details {
				answer.FeDetResp.FECAEDetResponse = append(answer.FeDetResp.FECAEDetResponse,
					wsfev1.FECAEDetResponse{DetResponse: d})
			}
		}
		return answer
	case *wsfev1.FECAEARegInformativoRequest:
		answer := &wsfev1.FECAEARegInformativoAnswer{FeCabResp: header, Envelope: envelope}
		if details != nil {
			answer.FeDetResp = &wsfev1.FeCAEADetResp{}
			for i, d := range details {
				answer.FeDetResp.FECAEADetResponse = append(answer.FeDetResp.FECAEADetResponse,
					wsfev1.FECAEADetResponse{DetResponse: d, CAEA: body.FeCAEARegInfReq.FeDetReq.FECAEADetRequest[i].CAEA})
			}
		}
		return answer
	}
	return errorsOnly(req, findings)
}

// envelopeOf returns the Errors of the findings that reject the whole request,
// and whether one of them is about the header.
func envelopeOf(findings []Finding) (wsfev1.Envelope, bool) {
	var envelope wsfev1.Envelope
	headerFault := false
	for _, f := range findings {
		if f.Severity == ERR || f.Severity == SEQ {
			envelope.Fail(f.Number(), f.Message())
			headerFault = headerFault || f.Severity == ERR
		}
	}
	return envelope, headerFault
}

func rejectedDetails(lot *wsfev1.Lot, findings []Finding) []wsfev1.DetResponse {
	details := make([]wsfev1.DetResponse, lot.Len())
	for i := range details {
		invoice := lot.Invoice(i)
		details[i] = wsfev1.DetResponse{
			Concepto: invoice.Concepto, DocTipo: invoice.DocTipo, DocNro: invoice.DocNro,
			CbteDesde: invoice.CbteDesde, CbteHasta: invoice.CbteHasta, CbteFch: invoice.CbteFch,
			Resultado: wsfev1.Rechazado,
		}
	}
	for _, f := range findings {
		if f.Invoice != Header && (f.Severity == EXC || f.Severity == OBS) {
			base := lot.InvoicePointer(f.Invoice) + "/"
			message := f.Message()
			if place := strings.TrimPrefix(f.Pointer, base); !strings.HasPrefix(message, place+" ") {
				message = place + ": " + message
			}
			details[f.Invoice].Observe(f.Number(), message)
		}
	}
	return details
}

// errorsOnly answers an operation that has no lot.
func errorsOnly(req *Request, findings []Finding) any {
	answer := req.Operation.NewAnswer()
	if envelope, ok := answer.(interface{ Fail(code int32, msg string) }); ok {
		for _, f := range findings {
			envelope.Fail(f.Number(), f.Message())
		}
	}
	return answer
}
