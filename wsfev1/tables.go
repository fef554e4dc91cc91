package wsfev1

// A reference table row with its validity. Where the end is open, FchHasta is
// the text NULL (docs/sources.md#answers).

// TipoRow is a row of the tables with a numeric identifier.
type TipoRow struct {
	Id       int32
	Desc     string
	FchDesde string
	FchHasta string
}

// CodigoRow is a row of the tables with a textual identifier.
type CodigoRow struct {
	Id       string
	Desc     string
	FchDesde string
	FchHasta string
}

// PaisTipo is a country.
type PaisTipo struct {
	Id   int32
	Desc string
}

// ActividadesTipo is an activity of the issuer; Orden 1 is the main one.
type ActividadesTipo struct {
	Id    int64
	Orden int32
	Desc  string
}

// PtoVenta is a point of sale of the issuer.
type PtoVenta struct {
	Nro         int32
	EmisionTipo string
	// Bloqueado is S or N.
	Bloqueado string
	// FchBaja is yyyymmdd, or the text NULL for a point in use.
	FchBaja string
}

// CondicionIvaReceptor is an IVA condition that a receiver may have.
type CondicionIvaReceptor struct {
	Id        int32
	Desc      string
	Cmp_Clase string // the service's own name
}

// Cotizacion is the rate of a currency in pesos.
type Cotizacion struct {
	MonId    string
	MonCotiz Amount
	FchCotiz Date
}

// The results of the table operations: each list has its own name
// (docs/sources.md#contract).
type (
	OpcionalTipoList         struct{ OpcionalTipo []CodigoRow }
	ConceptoTipoList         struct{ ConceptoTipo []TipoRow }
	TributoTipoList          struct{ TributoTipo []TipoRow }
	MonedaList               struct{ Moneda []CodigoRow }
	PtoVentaList             struct{ PtoVenta []PtoVenta }
	CbteTipoList             struct{ CbteTipo []TipoRow }
	IvaTipoList              struct{ IvaTipo []CodigoRow }
	DocTipoList              struct{ DocTipo []TipoRow }
	ActividadesTipoList      struct{ ActividadesTipo []ActividadesTipo }
	PaisTipoList             struct{ PaisTipo []PaisTipo }
	CondicionIvaReceptorList struct{ CondicionIvaReceptor []CondicionIvaReceptor }
)

// TableAnswer is the answer of an operation that returns one result.
type TableAnswer[Result any] struct {
	ResultGet *Result `json:",omitzero"`
	Envelope
}

// The answers of the table operations.
type (
	FEParamGetCotizacionAnswer           = TableAnswer[Cotizacion]
	FEParamGetTiposOpcionalAnswer        = TableAnswer[OpcionalTipoList]
	FEParamGetTiposConceptoAnswer        = TableAnswer[ConceptoTipoList]
	FEParamGetTiposTributosAnswer        = TableAnswer[TributoTipoList]
	FEParamGetTiposMonedasAnswer         = TableAnswer[MonedaList]
	FEParamGetPtosVentaAnswer            = TableAnswer[PtoVentaList]
	FEParamGetTiposCbteAnswer            = TableAnswer[CbteTipoList]
	FEParamGetTiposIvaAnswer             = TableAnswer[IvaTipoList]
	FEParamGetTiposDocAnswer             = TableAnswer[DocTipoList]
	FEParamGetActividadesAnswer          = TableAnswer[ActividadesTipoList]
	FEParamGetTiposPaisesAnswer          = TableAnswer[PaisTipoList]
	FEParamGetCondicionIvaReceptorAnswer = TableAnswer[CondicionIvaReceptorList]
)

// FEDummyAnswer answers FEDummy: OK for each server that works.
type FEDummyAnswer struct {
	AppServer  string
	DbServer   string
	AuthServer string
}
