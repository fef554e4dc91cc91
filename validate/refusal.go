package validate

import (
	"fmt"
	"slices"
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// Refuses reports whether any of the findings refuses the request.
func Refuses(findings []Finding) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool { return f.Action == ActionRefuse || f.Severity == Shape })
}

// Malformed writes findings of shape: the service's error body, with which a request is refused
// that is not of the operation's shape (HTTP 400).
func Malformed(findings []Finding) *wsfev1.ErrorBody {
	body := &wsfev1.ErrorBody{}
	for _, f := range findings {
		pointer := f.Pointer
		if pointer == "" {
			pointer = "(documento)"
		}
		body.Errors.Err = append(body.Errors.Err, wsfev1.ErrorItem{Code: f.Code, Msg: pointer + ": " + f.Explanation()})
	}
	return body
}

// Refusal writes findings of rules as the service does: a pointer to the operation's answer
// type, in which the whole lot is rejected. Findings about the header stand in Errors. The
// service then looks at nothing else, so there are no details (a FECAEARegInformativo lists
// them without Observaciones). Findings about an invoice stand in its Observaciones.
//
// Nothing of the lot is issued: a gateway that refuses forwards no part of it. So every
// invoice is R, also those before the first that is wrong. Only that one has Observaciones,
// as the service looks at nothing after it.
//
// A request without a lot is answered with Errors and with the members that the operation always
// returns, see refusedRequest. One that is not Typed has no answer: nil.
func Refusal(req *Request, findings []Finding, now time.Time) any {
	if !req.Typed() {
		return nil
	}
	lot := wsfev1.LotOf(req.Body)
	if lot == nil {
		return refusedRequest(req, findings, now)
	}
	header := &wsfev1.FeCabResp{
		Cuit: wsfev1.AuthOf(req.Body).Cuit, PtoVta: lot.Header.PtoVta, CbteTipo: lot.Header.CbteTipo,
		FchProceso: wsfev1.TimestampOf(now), CantReg: lot.Header.CantReg,
		Resultado: wsfev1.Rechazado, Reproceso: "N",
	}
	findings = untilStop(findings)
	envelope, headerFault := envelopeOf(findings)
	var details []wsfev1.DetResponse
	_, caea := req.Body.(*wsfev1.FECAEARegInformativoRequest)
	if lot.Len() > 0 && (!headerFault || caea) { // which lists them all the same (docs/sources.md#lots)
		details = rejectedDetails(lot, findings, headerFault, wsfev1.DateOf(now))
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
	return refusedRequest(req, findings, now)
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

// untilStop keeps the findings that the service would have come to, in their order: the findings
// about the header and about the first invoice that is refused. That invoice stops the lot; one
// before it that is merely remarked upon does not.
func untilStop(findings []Finding) []Finding {
	stop := slices.IndexFunc(findings, func(f Finding) bool { return f.Invoice != Header && f.Action == ActionRefuse })
	return Reached(slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool {
		return f.Invoice != Header && (stop < 0 || f.Invoice != findings[stop].Invoice)
	}))
}

// outsideWindow is the code of a CbteFch that is too early or too late.
const outsideWindow = "10016"

// Reached keeps the findings about the header and one invoice that the service comes to: after a date
// outside of its window (10016) it checks nothing else of the invoice (docs/sources.md#severities).
func Reached(findings []Finding) []Finding {
	stops := func(f Finding) bool {
		return f.Invoice != Header && f.Code == outsideWindow && f.Action == ActionRefuse
	}
	if !slices.ContainsFunc(findings, stops) {
		return findings
	}
	return slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return f.Invoice != Header && !stops(f) })
}

// rejectedDetails rejects every invoice. The one that stops the lot has Observaciones, which
// name it. After a fault of the header, or with a break of the sequence, there are none.
func rejectedDetails(lot *wsfev1.Lot, findings []Finding, headerFault bool, today wsfev1.Date) []wsfev1.DetResponse {
	details := make([]wsfev1.DetResponse, lot.Len())
	for i := range details {
		invoice := lot.Invoice(i)
		details[i] = wsfev1.AnswerTo(invoice, wsfev1.Rechazado)
		if invoice.CbteFch == "" && lot.CAEAInvoice(i) == nil {
			details[i].CbteFch = today // that is what it would have been
		}
	}
	said := lot.Len() == 1
	for _, f := range findings {
		if headerFault || f.Invoice < 0 || f.Invoice >= lot.Len() || f.Severity == SEQ {
			continue
		}
		if !said {
			f.Text = fmt.Sprintf("El comprobante %d de %d detiene el lote: no se envió ninguno. %s", f.Invoice+1, lot.Len(), f.Text)
			said = true
		}
		details[f.Invoice].Observe(f.Number(), f.Message())
	}
	return details
}
