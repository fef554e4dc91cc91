package wsfev1

// The values of Resultado (docs/sources.md#answers).
const (
	Aprobado  = "A"
	Rechazado = "R"
	Parcial   = "P"
)

// FeCabResp heads the answers of the two issuing operations (docs/sources.md#contract).
type FeCabResp struct {
	Cuit       CUIT
	PtoVta     int32
	CbteTipo   int32
	FchProceso Timestamp
	CantReg    int32
	// Resultado is A, R or P: some approved, then a rejection.
	Resultado string
	// Reproceso is always N: the service repeats nothing.
	Reproceso string
}

// DetResponse holds the members that the answers for one invoice have in common.
type DetResponse struct {
	Concepto      int32
	DocTipo       int32
	DocNro        int64
	CbteDesde     int64
	CbteHasta     int64
	CbteFch       Date
	Resultado     string
	Observaciones *Observaciones `json:",omitzero"`
}

// AnswerTo returns the answer that repeats what an invoice has of itself, with the verdict on
// it.
func AnswerTo(invoice *FECAEDetRequest, resultado string) DetResponse {
	if invoice == nil {
		return DetResponse{Resultado: resultado}
	}
	return DetResponse{
		Concepto: invoice.Concepto, DocTipo: invoice.DocTipo, DocNro: invoice.DocNro,
		CbteDesde: invoice.CbteDesde, CbteHasta: invoice.CbteHasta, CbteFch: invoice.CbteFch,
		Resultado: resultado,
	}
}

// Observe adds an observation.
func (d *DetResponse) Observe(code int32, msg string) {
	if d == nil {
		return
	}
	if d.Observaciones == nil {
		d.Observaciones = &Observaciones{}
	}
	d.Observaciones.Obs = append(d.Observaciones.Obs, Obs{Code: code, Msg: msg})
}

// FECAEDetResponse is the answer for one invoice of a FECAESolicitar.
type FECAEDetResponse struct {
	DetResponse
	// CAE is the authorisation code, 14 digits; no text where rejected.
	CAE string
	// CAEFchVto is the last day for handing the invoice over.
	CAEFchVto Date
}

// FECAEADetResponse is the answer for one invoice of a FECAEARegInformativo.
type FECAEADetResponse struct {
	DetResponse
	CAEA string
}

// FeCAEDetResp lists the answers of a FECAESolicitar.
type FeCAEDetResp struct{ FECAEDetResponse []FECAEDetResponse }

// FeCAEADetResp lists the answers of a FECAEARegInformativo.
type FeCAEADetResp struct{ FECAEADetResponse []FECAEADetResponse }

// FECAESolicitarAnswer answers FECAESolicitar.
type FECAESolicitarAnswer struct {
	FeCabResp *FeCabResp    `json:",omitzero"`
	FeDetResp *FeCAEDetResp `json:",omitzero"`
	Envelope
}

// FECAEARegInformativoAnswer answers FECAEARegInformativo.
type FECAEARegInformativoAnswer struct {
	FeCabResp *FeCabResp     `json:",omitzero"`
	FeDetResp *FeCAEADetResp `json:",omitzero"`
	Envelope
}

// FECompConsResult is one invoice as the service keeps it (docs/sources.md#contract).
type FECompConsResult struct {
	FECAEDetRequest
	Resultado string
	// CodAutorizacion is the CAE or the CAEA.
	CodAutorizacion string
	// EmisionTipo is CAE or CAEA.
	EmisionTipo   string
	FchVto        Date
	FchProceso    Timestamp
	Observaciones *Observaciones `json:",omitzero"`
	PtoVta        int32
	CbteTipo      int32
}

// FECompConsultarAnswer answers FECompConsultar.
type FECompConsultarAnswer struct {
	ResultGet *FECompConsResult `json:",omitzero"`
	Envelope
}

// FECompUltimoAutorizadoAnswer answers FECompUltimoAutorizado. CbteNro is 0 for
// a series that was never used.
type FECompUltimoAutorizadoAnswer struct {
	PtoVta   int32
	CbteTipo int32
	CbteNro  int64
	Envelope
}

// FECompTotXRequestAnswer answers FECompTotXRequest: the largest lot.
type FECompTotXRequestAnswer struct {
	RegXReq int32
	Envelope
}

// CAEAResult is an advance code (docs/sources.md#contract).
type CAEAResult struct {
	CAEA          string         `json:",omitzero"`
	Periodo       int32          // yyyymm
	Orden         int16          // 1 or 2
	FchVigDesde   Date           `json:",omitzero"`
	FchVigHasta   Date           `json:",omitzero"`
	FchTopeInf    Date           `json:",omitzero"`
	FchProceso    Timestamp      `json:",omitzero"`
	Observaciones *Observaciones `json:",omitzero"`
}

// FECAEASolicitarAnswer answers FECAEASolicitar.
type FECAEASolicitarAnswer struct {
	ResultGet *CAEAResult `json:",omitzero"`
	Envelope
}

// FECAEAConsultarAnswer answers FECAEAConsultar.
type FECAEAConsultarAnswer struct {
	ResultGet *CAEAResult `json:",omitzero"`
	Envelope
}

// FECAEASinMov tells that a point of sale issued nothing under an advance code.
type FECAEASinMov struct {
	CAEA       string
	FchProceso Date
	PtoVta     int32
}

// FECAEASinMovimientoConsultarAnswer answers FECAEASinMovimientoConsultar.
type FECAEASinMovimientoConsultarAnswer struct {
	ResultGet *FECAEASinMovResult `json:",omitzero"`
	Envelope
}

// FECAEASinMovResult lists the points of sale without movement.
type FECAEASinMovResult struct{ FECAEASinMov []FECAEASinMov }

// FECAEASinMovimientoInformarAnswer answers FECAEASinMovimientoInformar.
type FECAEASinMovimientoInformarAnswer struct {
	FECAEASinMov
	Resultado string
	Envelope
}
