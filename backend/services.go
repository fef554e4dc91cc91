package backend

import (
	"context"
	"fmt"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// services answers each operation. A test holds it against wsfev1.Operations.
var services = map[string]service{
	"FECAESolicitar":                 serve((*Backend).authorise),
	"FECAEARegInformativo":           serve((*Backend).inform),
	"FECompConsultar":                serve((*Backend).consult),
	"FECompUltimoAutorizado":         serve((*Backend).lastAuthorised),
	"FECompTotXRequest":              serve((*Backend).totalPerRequest),
	"FECAEASolicitar":                serve((*Backend).grantCAEA),
	"FECAEAConsultar":                serve((*Backend).consultCAEA),
	"FECAEASinMovimientoConsultar":   serve((*Backend).consultSinMovimiento),
	"FECAEASinMovimientoInformar":    serve((*Backend).informSinMovimiento),
	"FEParamGetCotizacion":           serve((*Backend).rate),
	"FEParamGetPtosVenta":            serve((*Backend).pointsOfSale),
	"FEParamGetCondicionIvaReceptor": serve((*Backend).receiverConditions),
	"FEParamGetTiposOpcional":        table(wsfev1.OpcionalTipoList{OpcionalTipo: tables.opcional}),
	"FEParamGetTiposConcepto":        table(wsfev1.ConceptoTipoList{ConceptoTipo: tables.concepto}),
	"FEParamGetTiposTributos":        table(wsfev1.TributoTipoList{TributoTipo: tables.tributo}),
	"FEParamGetTiposMonedas":         table(wsfev1.MonedaList{Moneda: tables.moneda}),
	"FEParamGetTiposCbte":            table(wsfev1.CbteTipoList{CbteTipo: tables.cbte}),
	"FEParamGetTiposIva":             table(wsfev1.IvaTipoList{IvaTipo: tables.iva}),
	"FEParamGetTiposDoc":             table(wsfev1.DocTipoList{DocTipo: tables.doc}),
	"FEParamGetActividades":          table(wsfev1.ActividadesTipoList{ActividadesTipo: tables.actividad}),
	"FEParamGetTiposPaises":          table(wsfev1.PaisTipoList{PaisTipo: tables.pais}),
	"FEDummy":                        dummy,
}

// table serves an operation that returns one embedded list. The rows are shared by
// all answers: whoever gets one must not change them.
func table[List any](list List) service {
	return serve(func(_ *Backend, _ context.Context, c *call, _ *wsfev1.AuthRequest, answer *wsfev1.TableAnswer[List]) error {
		if c.findings.report(&answer.Envelope); !c.findings.failed() {
			result := list
			answer.ResultGet = &result
		}
		return nil
	})
}

// dummy is the one operation without credentials. DbServer tells whether the
// ledger can be read; NO is a guess, the service's own word for it is not known.
func dummy(ctx context.Context, b *Backend, request *validate.Request) (any, error) {
	if _, ok := request.Body.(*wsfev1.FEDummyRequest); !ok {
		return nil, fmt.Errorf("request of type %T", request.Body)
	}
	answer := &wsfev1.FEDummyAnswer{AppServer: "OK", DbServer: "OK", AuthServer: "OK"}
	if err := b.ledger.View(ctx, func(Reader) error { return nil }); err != nil {
		answer.DbServer = "NO"
	}
	return answer, nil
}
