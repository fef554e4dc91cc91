package wsfev1

import "reflect"

// Family groups the operations by what they are about.
type Family string

// The families of operations.
const (
	FamilyIssuing Family = "issuing" // authorises or reports invoices
	FamilyCAEA    Family = "caea"    // advance authorisation codes
	FamilyQuery   Family = "query"   // asks about invoices already there
	FamilyTable   Family = "table"   // reference tables, points of sale, exchange rates
	FamilyHealth  Family = "health"  // FEDummy
)

// Effect is what an operation does to the service's own state.
type Effect uint8

const (
	// EffectNone marks an operation that only reads: it may be sent again.
	EffectNone Effect = iota
	// EffectChanges marks an operation that changes something upstream: it
	// needs an intent in the trail before it leaves and is never sent twice.
	EffectChanges
)

// String returns "none" or "changes".
func (e Effect) String() string {
	if e == EffectChanges {
		return "changes"
	}
	return "none"
}

// PathPrefix is what stands before the operation's name in the path of every
// request (docs/sources.md#contract).
const PathPrefix = "/api/wsfev1/"

// Operation is one row of the table of operations.
type Operation struct {
	// Name is the last segment of the path, exact and case-sensitive.
	Name   string
	Family Family
	Effect Effect
	// Extension marks an operation of the live service that the
	// twenty-operation contract lacks.
	Extension bool
	// Request and Answer are the shapes of the two bodies.
	Request, Answer *Shape

	newRequest, newAnswer func() any
}

// NewRequest returns a pointer to a zero value of the operation's request type, nil for an
// operation that is not one of Operations.
func (o *Operation) NewRequest() any {
	if o == nil || o.newRequest == nil {
		return nil
	}
	return o.newRequest()
}

// NewAnswer returns a pointer to a zero value of the operation's answer type, nil for an
// operation that is not one of Operations.
func (o *Operation) NewAnswer() any {
	if o == nil || o.newAnswer == nil {
		return nil
	}
	return o.newAnswer()
}

// SequenceCode is the code with which an operation that issues answers to a number that
// is not the next one of its series (docs/sources.md#severities).
func (o *Operation) SequenceCode() int32 {
	if o == nil {
		return 0
	}
	if o.Name == "FECAEARegInformativo" {
		return 703
	}
	return 10016
}

// Operations lists the operations: the twenty of the contract in its order
// (docs/sources.md#contract), then the extensions.
var Operations = []*Operation{
	row[FECAESolicitarRequest, FECAESolicitarAnswer]("FECAESolicitar", FamilyIssuing, EffectChanges),
	row[FECAEARegInformativoRequest, FECAEARegInformativoAnswer]("FECAEARegInformativo", FamilyIssuing, EffectChanges),
	row[FECompConsultarRequest, FECompConsultarAnswer]("FECompConsultar", FamilyQuery, EffectNone),
	row[FECompUltimoAutorizadoRequest, FECompUltimoAutorizadoAnswer]("FECompUltimoAutorizado", FamilyQuery, EffectNone),
	row[AuthRequest, FECompTotXRequestAnswer]("FECompTotXRequest", FamilyQuery, EffectNone),
	row[FECAEASolicitarRequest, FECAEASolicitarAnswer]("FECAEASolicitar", FamilyCAEA, EffectChanges),
	row[FECAEASinMovimientoRequest, FECAEASinMovimientoConsultarAnswer]("FECAEASinMovimientoConsultar", FamilyCAEA, EffectNone),
	row[FECAEASinMovimientoRequest, FECAEASinMovimientoInformarAnswer]("FECAEASinMovimientoInformar", FamilyCAEA, EffectChanges),
	row[FEParamGetCotizacionRequest, FEParamGetCotizacionAnswer]("FEParamGetCotizacion", FamilyTable, EffectNone),
	row[AuthRequest, FEParamGetTiposOpcionalAnswer]("FEParamGetTiposOpcional", FamilyTable, EffectNone),
	row[AuthRequest, FEParamGetTiposConceptoAnswer]("FEParamGetTiposConcepto", FamilyTable, EffectNone),
	row[AuthRequest, FEParamGetTiposTributosAnswer]("FEParamGetTiposTributos", FamilyTable, EffectNone),
	row[AuthRequest, FEParamGetTiposMonedasAnswer]("FEParamGetTiposMonedas", FamilyTable, EffectNone),
	row[AuthRequest, FEParamGetPtosVentaAnswer]("FEParamGetPtosVenta", FamilyTable, EffectNone),
	row[AuthRequest, FEParamGetTiposCbteAnswer]("FEParamGetTiposCbte", FamilyTable, EffectNone),
	row[AuthRequest, FEParamGetTiposIvaAnswer]("FEParamGetTiposIva", FamilyTable, EffectNone),
	row[AuthRequest, FEParamGetTiposDocAnswer]("FEParamGetTiposDoc", FamilyTable, EffectNone),
	row[AuthRequest, FEParamGetActividadesAnswer]("FEParamGetActividades", FamilyTable, EffectNone),
	row[AuthRequest, FEParamGetTiposPaisesAnswer]("FEParamGetTiposPaises", FamilyTable, EffectNone),
	row[FEDummyRequest, FEDummyAnswer]("FEDummy", FamilyHealth, EffectNone),
	extension(row[FECAEASolicitarRequest, FECAEAConsultarAnswer]("FECAEAConsultar", FamilyCAEA, EffectNone)),
	extension(row[FEParamGetCondicionIvaReceptorRequest, FEParamGetCondicionIvaReceptorAnswer]("FEParamGetCondicionIvaReceptor", FamilyTable, EffectNone)),
}

var operationByName = func() map[string]*Operation {
	m := make(map[string]*Operation, len(Operations))
	for _, op := range Operations {
		m[op.Name] = op
	}
	return m
}()

// OperationByName returns the operation with exactly this name, or nil.
func OperationByName(name string) *Operation { return operationByName[name] }

func row[Request, Answer any](name string, family Family, effect Effect) *Operation {
	return &Operation{
		Name: name, Family: family, Effect: effect,
		Request:    mustShape(reflect.TypeFor[Request]()),
		Answer:     mustShape(reflect.TypeFor[Answer]()),
		newRequest: func() any { return new(Request) },
		newAnswer:  func() any { return new(Answer) },
	}
}

func extension(op *Operation) *Operation {
	op.Extension = true
	return op
}
