package backend

import (
	"context"
	"fmt"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/validate/rules"
	"github.com/fielato/fielato/wsfev1"
)

// services answers each operation. A test compares it with wsfev1.Operations.
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
	"FEParamGetTiposOpcional":        table(func(t *Tables) wsfev1.OpcionalTipoList { return wsfev1.OpcionalTipoList{OpcionalTipo: t.opcional} }),
	"FEParamGetTiposConcepto":        table(func(t *Tables) wsfev1.ConceptoTipoList { return wsfev1.ConceptoTipoList{ConceptoTipo: t.concepto} }),
	"FEParamGetTiposTributos":        table(func(t *Tables) wsfev1.TributoTipoList { return wsfev1.TributoTipoList{TributoTipo: t.tributo} }),
	"FEParamGetTiposMonedas":         table(func(t *Tables) wsfev1.MonedaList { return wsfev1.MonedaList{Moneda: t.moneda} }),
	"FEParamGetTiposCbte":            table(func(t *Tables) wsfev1.CbteTipoList { return wsfev1.CbteTipoList{CbteTipo: t.cbte} }),
	"FEParamGetTiposIva":             table(func(t *Tables) wsfev1.IvaTipoList { return wsfev1.IvaTipoList{IvaTipo: t.iva} }),
	"FEParamGetTiposDoc":             table(func(t *Tables) wsfev1.DocTipoList { return wsfev1.DocTipoList{DocTipo: t.doc} }),
	"FEParamGetActividades":          serve((*Backend).activities),
	"FEParamGetTiposPaises":          table(func(t *Tables) wsfev1.PaisTipoList { return wsfev1.PaisTipoList{PaisTipo: t.pais} }),
	"FEDummy":                        dummy,
}

// table serves an operation that returns one of the tables. All answers share the rows: a
// caller must not change them.
func table[List any](list func(*Tables) List) service {
	return serve(func(b *Backend, _ context.Context, c *call, _ *wsfev1.AuthRequest, answer *wsfev1.TableAnswer[List]) error {
		if c.report(&answer.Envelope); !c.findings.failed() {
			result := list(b.tables)
			answer.ResultGet = &result
		}
		return nil
	})
}

// dummy is the one operation without credentials. DbServer is whether the ledger can be read;
// NO is a guess, as the service's own word for it is not known.
func dummy(ctx context.Context, b *Backend, request *validate.Request, _ *rules.Clearance) (any, error) {
	if _, ok := request.Body.(*wsfev1.FEDummyRequest); !ok {
		return nil, fmt.Errorf("request of type %T", request.Body)
	}
	answer := &wsfev1.FEDummyAnswer{AppServer: "OK", DbServer: "OK", AuthServer: "OK"}
	if err := b.ledger.View(ctx, func(Reader) error { return nil }); err != nil {
		answer.DbServer = "NO"
	}
	return answer, nil
}
