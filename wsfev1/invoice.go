package wsfev1

// FeCabReq is the header of an issuing request: one point of sale and one type
// of voucher for the whole lot.
type FeCabReq struct {
	// CantReg is the number of details that follow, 1 to 9998.
	CantReg int32 `wsfev1:"required"`
	// PtoVta is the point of sale, 1 to 99998.
	PtoVta int32 `wsfev1:"required"`
	// CbteTipo is the type of voucher, FEParamGetTiposCbte.
	CbteTipo int32 `wsfev1:"required"`
}

// FECAEDetRequest is one invoice as it is sent (docs/sources.md#contract). The members
// stand in the order of the service's definition (docs/sources.md#fields).
type FECAEDetRequest struct {
	// Concepto is 1 products, 2 services, 3 both.
	Concepto int32 `wsfev1:"expected"`
	DocTipo  int32 `wsfev1:"expected"`
	DocNro   int64 `wsfev1:"expected"`
	// CbteDesde and CbteHasta are the first and last number, 1 to 99999999.
	CbteDesde int64 `wsfev1:"expected"`
	CbteHasta int64 `wsfev1:"expected"`
	CbteFch   Date
	// ImpTotal is the total of the invoice: ImpTotConc + ImpNeto + ImpOpEx
	// + ImpTrib + ImpIVA.
	ImpTotal Amount `json:",omitzero" wsfev1:"expected,digits=13+2"`
	// ImpTotConc is the net amount that is not taxed.
	ImpTotConc Amount `json:",omitzero" wsfev1:"expected,digits=13+2"`
	// ImpNeto is the taxed net amount.
	ImpNeto Amount `json:",omitzero" wsfev1:"expected,digits=13+2"`
	// ImpOpEx is the exempt amount.
	ImpOpEx      Amount `json:",omitzero" wsfev1:"expected,digits=13+2"`
	ImpTrib      Amount `json:",omitzero" wsfev1:"expected,digits=13+2"`
	ImpIVA       Amount `json:",omitzero" wsfev1:"expected,digits=13+2"`
	FchServDesde Date
	FchServHasta Date
	FchVtoPago   Date
	// MonId is the currency, PES for pesos.
	MonId string
	// MonCotiz is the rate of the currency in pesos.
	MonCotiz Amount `json:",omitzero" wsfev1:"digits=4+6"`
	// CanMisMonExt is S where the invoice is paid in its own foreign currency.
	CanMisMonExt string `json:",omitzero" wsfev1:"extension"`
	// CondicionIVAReceptorId is nil where it was not sent; 0 is an unknown one. From 2026-12-01
	// the service refuses an invoice without it (10246, 826).
	CondicionIVAReceptorId *int32       `json:",omitzero" wsfev1:"extension"`
	CbtesAsoc              *CbtesAsoc   `json:",omitzero"`
	Tributos               *Tributos    `json:",omitzero"`
	Iva                    *Iva         `json:",omitzero"`
	Opcionales             *Opcionales  `json:",omitzero"`
	Compradores            *Compradores `json:",omitzero"`
	PeriodoAsoc            *PeriodoAsoc `json:",omitzero"`
	Actividades            *Actividades `json:",omitzero"`
}

// FECAEADetRequest is one invoice issued under an advance code.
type FECAEADetRequest struct {
	FECAEDetRequest
	// CAEA is the advance code under which the invoice was issued, 14 digits.
	CAEA string
	// CbteFchHsGen is the moment at which the invoice was issued.
	CbteFchHsGen Timestamp
}

// CbtesAsoc lists the vouchers that an invoice refers to.
type CbtesAsoc struct {
	CbteAsoc []CbteAsoc `wsfev1:"items=1000"`
}

// CbteAsoc is a voucher that an invoice refers to.
type CbteAsoc struct {
	Tipo    int32  `wsfev1:"expected"`
	PtoVta  int32  `wsfev1:"expected"`
	Nro     int64  `wsfev1:"expected"`
	Cuit    string `json:",omitzero"`
	CbteFch Date   `json:",omitzero"`
}

// Tributos lists the taxes other than IVA.
type Tributos struct {
	Tributo []Tributo `wsfev1:"items=1000"`
}

// Tributo is one tax other than IVA.
type Tributo struct {
	Id      int16 `wsfev1:"expected"`
	Desc    string
	BaseImp Amount `json:",omitzero" wsfev1:"expected,digits=13+2"`
	Alic    Amount `json:",omitzero" wsfev1:"expected,digits=3+2"` // percent
	Importe Amount `json:",omitzero" wsfev1:"expected,digits=13+2"`
}

// Iva lists the IVA by rate.
type Iva struct {
	AlicIva []AlicIva `wsfev1:"items=1000"`
}

// AlicIva is the IVA of one rate, FEParamGetTiposIva.
type AlicIva struct {
	Id      int32  `wsfev1:"expected"`
	BaseImp Amount `json:",omitzero" wsfev1:"expected,digits=13+2"`
	Importe Amount `json:",omitzero" wsfev1:"expected,digits=13+2"`
}

// Opcionales lists optional data that some regulations ask for.
type Opcionales struct {
	Opcional []Opcional `wsfev1:"items=10000"`
}

// Opcional is one optional datum, FEParamGetTiposOpcional.
type Opcional struct{ Id, Valor string }

// Compradores lists the buyers of an invoice with several.
type Compradores struct {
	Comprador []Comprador `wsfev1:"items=1000"`
}

// Comprador is one buyer and his share in percent.
type Comprador struct {
	DocTipo    int32  `wsfev1:"expected"`
	DocNro     int64  `wsfev1:"expected"`
	Porcentaje Amount `json:",omitzero" wsfev1:"expected,digits=2+2"`
}

// PeriodoAsoc is the period that a note refers to.
type PeriodoAsoc struct{ FchDesde, FchHasta Date }

// Actividades lists the issuer's activities that an invoice belongs to.
type Actividades struct {
	Actividad []Actividad `wsfev1:"items=1000"`
}

// Actividad is one activity, FEParamGetActividades.
type Actividad struct {
	Id int64 `wsfev1:"expected"`
}
