package send

import (
	"slices"
	"strconv"

	"github.com/fielato/fielato/wsfev1"
)

// fit is an answer that is held against its request.
type fit struct {
	asked   any // the typed request
	subject *wsfev1.Subject
	verdict *wsfev1.Verdict
}

// mismatch returns the pointer of the first place where the answer to an operation that changes
// something does not match the request or lacks the result, or where one to a query names something else.
// It is empty if the answer matches. One that has Errors and approves nothing may be incomplete. An answer
// accepted here is replayed whenever the request is repeated, so in doubt the service is queried.
func (f fit) mismatch(typed any) string {
	if member := f.questionMismatch(typed); member != "" {
		return member
	}
	if f.verdict.Failed && !grants(f.verdict) {
		return f.strange(typed)
	}
	switch a := typed.(type) {
	case *wsfev1.FECAESolicitarAnswer:
		codes := map[string]bool{}
		return f.lotMismatch(a.FeCabResp, "/FeDetResp/FECAEDetResponse", func(i int, asked *wsfev1.FECAEDetRequest) string {
			said := &a.FeDetResp.FECAEDetResponse[i]
			if said.Resultado == wsfev1.Aprobado != wsfev1.IsAuthorization(said.CAE) || codes[said.CAE] {
				return "/CAE" // a rejection has none, and each invoice has its own
			}
			codes[said.CAE] = said.CAE != ""
			return detailMismatch(asked, &said.DetResponse)
		})
	case *wsfev1.FECAEARegInformativoAnswer:
		lot := wsfev1.LotOf(f.asked)
		return f.lotMismatch(a.FeCabResp, "/FeDetResp/FECAEADetResponse", func(i int, asked *wsfev1.FECAEDetRequest) string {
			said := &a.FeDetResp.FECAEADetResponse[i]
			if said.CAEA != "" && said.CAEA != lot.CAEAInvoice(i).CAEA {
				return "/CAEA"
			}
			return detailMismatch(asked, &said.DetResponse)
		})
	case *wsfev1.FECAEASolicitarAnswer:
		return f.caeaMismatch(a.ResultGet)
	case *wsfev1.FECAEASinMovimientoInformarAnswer:
		switch member := f.pointMismatch(a); {
		case member != "":
			return member
		case a.Resultado != wsfev1.Aprobado && a.Resultado != wsfev1.Rechazado:
			return "/Resultado"
		case a.Resultado == wsfev1.Aprobado && f.verdict.Failed:
			return "/Errors" // it refuses the request and carries it out
		}
	}
	return ""
}

// grants reports whether an answer approves anything.
func grants(v *wsfev1.Verdict) bool {
	return v.Resultado == wsfev1.Aprobado || v.Resultado == wsfev1.Parcial ||
		slices.ContainsFunc(v.Invoices, func(i wsfev1.InvoiceVerdict) bool { return isApproved(i) || i.Code != "" })
}

// lotMismatch compares the verdicts on a lot with the lot. details is the pointer of their list;
// misfits returns the member of one that does not match the invoice, empty if all do.
func (f fit) lotMismatch(head *wsfev1.FeCabResp, details string, misfits func(i int, asked *wsfev1.FECAEDetRequest) string) string {
	lot := wsfev1.LotOf(f.asked)
	switch {
	case head == nil || !slices.Contains(resultados, head.Resultado):
		return "/FeCabResp/Resultado"
	case head.Resultado == wsfev1.Aprobado && f.verdict.Failed:
		return "/Errors" // it refuses the request and approves it
	case f.headMismatch(head) != "":
		return f.headMismatch(head)
	case len(f.verdict.Invoices) != len(f.subject.Invoices):
		return details
	case lot != nil && head.CantReg != 0 && head.CantReg != lot.Header.CantReg && int(head.CantReg) != lot.Len():
		return "/FeCabResp/CantReg"
	case head.Resultado == wsfev1.Parcial && !slices.ContainsFunc(f.verdict.Invoices, isApproved):
		return "/FeCabResp/Resultado" // it approves a part, and none of the invoices
	}
	for i, asked := range f.subject.Invoices {
		member := invoiceMismatch(asked, &f.verdict.Invoices[i], head.Resultado)
		if member == "" {
			member = misfits(i, lot.Invoice(i))
		}
		if member != "" {
			return details + "/" + strconv.Itoa(i) + member
		}
	}
	return ""
}

// headMismatch returns the member of the head of an answer that is another lot's. A member may be left out.
func (f fit) headMismatch(head *wsfev1.FeCabResp) string {
	switch {
	case head.Cuit != 0 && head.Cuit != f.subject.Cuit:
		return "/FeCabResp/Cuit"
	case head.PtoVta != 0 && head.PtoVta != f.subject.PtoVta:
		return "/FeCabResp/PtoVta"
	case head.CbteTipo != 0 && head.CbteTipo != f.subject.CbteTipo:
		return "/FeCabResp/CbteTipo"
	}
	return ""
}

func isApproved(said wsfev1.InvoiceVerdict) bool { return said.Resultado == wsfev1.Aprobado }

// invoiceMismatch returns the member of the verdict on an invoice that does not match, empty if
// all do.
func invoiceMismatch(asked wsfev1.InvoiceRange, said *wsfev1.InvoiceVerdict, whole string) string {
	switch {
	case said.CbteDesde != asked.CbteDesde:
		return "/CbteDesde"
	case said.CbteHasta != asked.CbteHasta:
		return "/CbteHasta"
	case said.Resultado != wsfev1.Aprobado && said.Resultado != wsfev1.Rechazado,
		whole != wsfev1.Parcial && said.Resultado != whole:
		return "/Resultado"
	}
	return ""
}

// detailMismatch returns the member of the answer for an invoice that is another invoice's. A
// member may be left out, and the service chooses the date if it was not sent.
func detailMismatch(asked *wsfev1.FECAEDetRequest, said *wsfev1.DetResponse) string {
	switch {
	case said.Concepto != 0 && said.Concepto != asked.Concepto:
		return "/Concepto"
	case said.DocTipo != 0 && said.DocTipo != asked.DocTipo:
		return "/DocTipo"
	case said.DocNro != 0 && said.DocNro != asked.DocNro:
		return "/DocNro"
	case said.CbteFch != "" && asked.CbteFch != "" && said.CbteFch != asked.CbteFch:
		return "/CbteFch"
	}
	return ""
}

// resultados are the verdicts on a lot.
var resultados = []string{wsfev1.Aprobado, wsfev1.Rechazado, wsfev1.Parcial}

// caeaMismatch compares an advance code with its request.
func (f fit) caeaMismatch(granted *wsfev1.CAEAResult) string {
	if granted == nil || !wsfev1.IsAuthorization(granted.CAEA) {
		return "/ResultGet/CAEA"
	}
	return f.fortnightMismatch(granted)
}

// fortnightMismatch compares the fortnight of an advance code with the request's.
func (f fit) fortnightMismatch(granted *wsfev1.CAEAResult) string {
	asked, _ := f.asked.(*wsfev1.FECAEASolicitarRequest)
	switch {
	case asked == nil:
		return ""
	case granted.Periodo != 0 && granted.Periodo != asked.Periodo:
		return "/ResultGet/Periodo"
	case granted.Orden != 0 && granted.Orden != asked.Orden:
		return "/ResultGet/Orden"
	}
	return ""
}

// pointMismatch compares what an answer about a point of sale without movement names with the request.
func (f fit) pointMismatch(a *wsfev1.FECAEASinMovimientoInformarAnswer) string {
	switch {
	case a.PtoVta != 0 && a.PtoVta != f.subject.PtoVta:
		return "/PtoVta"
	case a.CAEA != "" && a.CAEA != f.subject.CAEA:
		return "/CAEA"
	}
	return ""
}
