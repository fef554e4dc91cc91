package send

import (
	"strconv"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/binding"
	"github.com/fielato/fielato/wsfev1"
)

// questionMismatch returns the pointer of the first place where the answer to a query names something else than was
// asked for. A member may be left out: an error comes with zeros. It is empty for an answer that names nothing.
func (f fit) questionMismatch(typed any) string {
	switch a := typed.(type) {
	case *wsfev1.FECompConsultarAnswer:
		return f.invoiceAskedFor(a.ResultGet)
	case *wsfev1.FECompUltimoAutorizadoAnswer:
		asked, _ := f.asked.(*wsfev1.FECompUltimoAutorizadoRequest)
		switch {
		case asked == nil:
		case isAnother(a.PtoVta, asked.PtoVta):
			return "/PtoVta"
		case isAnother(a.CbteTipo, asked.CbteTipo):
			return "/CbteTipo"
		}
	case *wsfev1.FECAEAConsultarAnswer:
		if a.ResultGet != nil {
			return f.fortnightMismatch(a.ResultGet)
		}
	case *wsfev1.FECAEASinMovimientoConsultarAnswer:
		asked, _ := f.asked.(*wsfev1.FECAEASinMovimientoRequest)
		if asked == nil || a.ResultGet == nil {
			return ""
		}
		for i, found := range a.ResultGet.FECAEASinMov { // of which point of sale, the manual leaves open
			if isAnother(found.CAEA, asked.CAEA) {
				return "/ResultGet/FECAEASinMov/" + strconv.Itoa(i) + "/CAEA"
			}
		}
	case *wsfev1.FEParamGetCotizacionAnswer:
		asked, _ := f.asked.(*wsfev1.FEParamGetCotizacionRequest)
		if asked != nil && a.ResultGet != nil && isAnother(currency(a.ResultGet.MonId), currency(asked.MonId)) {
			return "/ResultGet/MonId"
		}
	}
	return ""
}

func (f fit) invoiceAskedFor(found *wsfev1.FECompConsResult) string {
	request, _ := f.asked.(*wsfev1.FECompConsultarRequest)
	if request == nil || found == nil {
		return ""
	}
	switch asked := request.FeCompConsReq; {
	case isAnother(found.PtoVta, asked.PtoVta):
		return "/ResultGet/PtoVta"
	case isAnother(found.CbteTipo, asked.CbteTipo):
		return "/ResultGet/CbteTipo"
	case asked.CbteNro == 0:
	case found.CbteDesde > asked.CbteNro, found.CbteHasta != 0 && found.CbteHasta < asked.CbteNro:
		return "/ResultGet/CbteDesde"
	}
	return ""
}

// isAnother reports whether a member that is there is not the one that was asked for, if any was.
func isAnother[T comparable](said, asked T) bool {
	var none T
	return said != none && asked != none && said != asked
}

// currency returns a code in one spelling: 060 is 60 to some programs.
func currency(code string) string {
	return strings.TrimLeft(strings.ToUpper(strings.TrimSpace(code)), "0")
}

// withhold refuses the answer to a query that is about something else: it may be another client's.
func (s *Sent) withhold() {
	s.Answer, s.Certainty, s.Failure = Answer{}, audit.Unknown, audit.FailureService
	s.Refusal = binding.OfAnother()
}
