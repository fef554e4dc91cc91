package caddymodule

import (
	"slices"
	"strconv"

	"github.com/fielato/fielato/wsfev1"
)

// codeMismatch is the code of an answer about something else than was asked.
const codeMismatch = "answer.mismatch"

// mismatch returns the pointer of the first place where the answer to what changes
// something is not about what was asked, or does not say what became of it; no text where it
// fits, or where it has Errors and need not speak of all. What is believed here is given again
// whenever the request comes again, so a doubt is settled by asking the service.
func (x *exchange) mismatch() string {
	if x.verdict.Failed {
		return ""
	}
	switch a := x.typed.(type) {
	case *wsfev1.FECAESolicitarAnswer:
		return x.misjudged(a.FeCabResp, "/FeDetResp/FECAEDetResponse", "/CAE")
	case *wsfev1.FECAEARegInformativoAnswer:
		return x.misjudged(a.FeCabResp, "/FeDetResp/FECAEADetResponse", "")
	case *wsfev1.FECAEASolicitarAnswer:
		return x.misgranted(a.ResultGet)
	case *wsfev1.FECAEASinMovimientoInformarAnswer:
		switch {
		case a.PtoVta != 0 && a.PtoVta != x.subject.PtoVta:
			return "/PtoVta"
		case a.CAEA != "" && a.CAEA != x.subject.CAEA:
			return "/CAEA"
		case a.Resultado != wsfev1.Aprobado && a.Resultado != wsfev1.Rechazado:
			return "/Resultado"
		}
	}
	return ""
}

// misjudged compares the verdicts on a lot with the lot. details is the pointer of their
// list, code the name of the member without which an approved invoice has not been issued.
func (x *exchange) misjudged(head *wsfev1.FeCabResp, details, code string) string {
	switch {
	case head == nil || !slices.Contains(resultados, head.Resultado):
		return "/FeCabResp/Resultado"
	case head.Cuit != 0 && head.Cuit != x.subject.Cuit:
		return "/FeCabResp/Cuit"
	case head.PtoVta != 0 && head.PtoVta != x.subject.PtoVta:
		return "/FeCabResp/PtoVta"
	case head.CbteTipo != 0 && head.CbteTipo != x.subject.CbteTipo:
		return "/FeCabResp/CbteTipo"
	case len(x.verdict.Invoices) != len(x.subject.Invoices):
		return details
	}
	for i, asked := range x.subject.Invoices {
		if member := misfit(asked, &x.verdict.Invoices[i], head.Resultado, code); member != "" {
			return details + "/" + strconv.Itoa(i) + member
		}
	}
	return ""
}

// misfit returns which member of the verdict on an invoice does not fit, no text if all do.
func misfit(asked wsfev1.InvoiceRange, said *wsfev1.InvoiceVerdict, whole, code string) string {
	switch {
	case said.CbteDesde != asked.CbteDesde:
		return "/CbteDesde"
	case said.CbteHasta != asked.CbteHasta:
		return "/CbteHasta"
	case said.Resultado != wsfev1.Aprobado && said.Resultado != wsfev1.Rechazado,
		whole != wsfev1.Parcial && said.Resultado != whole:
		return "/Resultado"
	case code != "" && said.Resultado == wsfev1.Aprobado && said.Code == "":
		return code
	}
	return ""
}

// resultados are the verdicts on a lot.
var resultados = []string{wsfev1.Aprobado, wsfev1.Rechazado, wsfev1.Parcial}

// misgranted compares an advance code with what was asked for.
func (x *exchange) misgranted(granted *wsfev1.CAEAResult) string {
	asked, _ := x.request.Body.(*wsfev1.FECAEASolicitarRequest)
	switch {
	case granted == nil || granted.CAEA == "":
		return "/ResultGet/CAEA"
	case asked == nil:
		return ""
	case granted.Periodo != 0 && granted.Periodo != asked.Periodo:
		return "/ResultGet/Periodo"
	case granted.Orden != 0 && granted.Orden != asked.Orden:
		return "/ResultGet/Orden"
	}
	return ""
}
