package validate

import (
	"time"

	"github.com/fielato/fielato/wsfev1"
)

// refusedRequest answers an operation without a lot: with Errors, and with the service's other
// members (docs/sources.md#answers). FECAEAConsultar repeats the fortnight, FECAEASinMovimientoInformar
// the report and its rejection, FECompUltimoAutorizado the series, with the number 0; all
// others have Errors alone.
func refusedRequest(req *Request, findings []Finding, now time.Time) any {
	answer := req.Operation.NewAnswer()
	switch answer := answer.(type) {
	case *wsfev1.FECAEAConsultarAnswer:
		asked := req.Body.(*wsfev1.FECAEASolicitarRequest)
		answer.ResultGet = &wsfev1.CAEAResult{Periodo: asked.Periodo, Orden: asked.Orden}
	case *wsfev1.FECompUltimoAutorizadoAnswer:
		asked := req.Body.(*wsfev1.FECompUltimoAutorizadoRequest)
		answer.PtoVta, answer.CbteTipo = asked.PtoVta, asked.CbteTipo
	case *wsfev1.FECAEASinMovimientoInformarAnswer:
		told := req.Body.(*wsfev1.FECAEASinMovimientoRequest)
		answer.FECAEASinMov = wsfev1.FECAEASinMov{CAEA: told.CAEA, FchProceso: wsfev1.DateOf(now), PtoVta: told.PtoVta}
		answer.Resultado = wsfev1.Rechazado
	}
	if envelope, ok := answer.(interface{ Fail(code int32, msg string) }); ok {
		for _, f := range findings {
			envelope.Fail(f.Number(), f.Message())
		}
	}
	return answer
}
