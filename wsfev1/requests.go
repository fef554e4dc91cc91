package wsfev1

// AuthRequest is the request of the operations that ask with credentials alone.
type AuthRequest struct {
	Auth Auth `wsfev1:"required"`
}

// FECAESolicitarRequest asks for an authorisation code for each invoice.
type FECAESolicitarRequest struct {
	Auth     Auth     `wsfev1:"required"`
	FeCAEReq FeCAEReq `wsfev1:"required"`
}

// FeCAEReq is the lot of a FECAESolicitar.
type FeCAEReq struct {
	FeCabReq FeCabReq    `wsfev1:"required"`
	FeDetReq FeCAEDetReq `wsfev1:"required"`
}

// FeCAEDetReq lists the invoices of a FECAESolicitar.
type FeCAEDetReq struct {
	FECAEDetRequest []FECAEDetRequest `wsfev1:"required,items=10000"`
}

// FECAEARegInformativoRequest reports invoices issued under an advance code.
type FECAEARegInformativoRequest struct {
	Auth            Auth            `wsfev1:"required"`
	FeCAEARegInfReq FeCAEARegInfReq `wsfev1:"required"`
}

// FeCAEARegInfReq is the lot of a FECAEARegInformativo.
type FeCAEARegInfReq struct {
	FeCabReq FeCabReq     `wsfev1:"required"`
	FeDetReq FeCAEADetReq `wsfev1:"required"`
}

// FeCAEADetReq lists the invoices of a FECAEARegInformativo.
type FeCAEADetReq struct {
	FECAEADetRequest []FECAEADetRequest `wsfev1:"required,items=10000"`
}

// FECompConsultarRequest asks for one invoice.
type FECompConsultarRequest struct {
	Auth          Auth          `wsfev1:"required"`
	FeCompConsReq FeCompConsReq `wsfev1:"required"`
}

// FeCompConsReq names one invoice.
type FeCompConsReq struct {
	CbteTipo int32 `wsfev1:"required"`
	CbteNro  int64 `wsfev1:"required"`
	PtoVta   int32 `wsfev1:"required"`
}

// FECompUltimoAutorizadoRequest asks for the last number of a series.
type FECompUltimoAutorizadoRequest struct {
	Auth     Auth  `wsfev1:"required"`
	PtoVta   int32 `wsfev1:"required"`
	CbteTipo int32 `wsfev1:"required"`
}

// FECAEASolicitarRequest asks for the advance code of a fortnight, or about it
// (FECAEAConsultar).
type FECAEASolicitarRequest struct {
	Auth Auth `wsfev1:"required"`
	// Periodo is yyyymm.
	Periodo int32 `wsfev1:"required"`
	// Orden is the fortnight of the month: 1 or 2.
	Orden int16 `wsfev1:"required"`
}

// FECAEASinMovimientoRequest tells or asks that a point of sale issued nothing
// under an advance code.
type FECAEASinMovimientoRequest struct {
	Auth   Auth   `wsfev1:"required"`
	PtoVta int32  `wsfev1:"required"`
	CAEA   string `wsfev1:"required"`
}

// FEParamGetCotizacionRequest asks for the rate of a currency.
type FEParamGetCotizacionRequest struct {
	Auth  Auth   `wsfev1:"required"`
	MonId string `wsfev1:"required"`
	// FchCotiz asks for the rate of a day instead of the last one.
	FchCotiz Date `json:",omitzero" wsfev1:"extension"`
}

// FEParamGetCondicionIvaReceptorRequest asks for the IVA conditions that a
// receiver may have.
type FEParamGetCondicionIvaReceptorRequest struct {
	Auth Auth `wsfev1:"required"`
	// ClaseCmp narrows to one class of voucher: A, ALEY, B, C, 49.
	ClaseCmp string `json:",omitzero"`
}

// FEDummyRequest is the empty object.
type FEDummyRequest struct{}
