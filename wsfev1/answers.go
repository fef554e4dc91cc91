package wsfev1

import "strconv"

// Obs is an observation on one invoice.
type Obs struct {
	Code int32
	Msg  string
}

// Observaciones lists the observations on one invoice.
type Observaciones struct{ Obs []Obs }

// Evt is a notice of the service: it does not change the result.
type Evt struct {
	Code int32
	Msg  string
}

// Events lists the notices of an answer.
type Events struct{ Evt []Evt }

// Err is an error of a normal answer (HTTP 200): Code is a number.
type Err struct {
	Code int32
	Msg  string
}

// Errors lists the errors of a normal answer.
type Errors struct{ Err []Err }

// Envelope ends every answer but FEDummy's. Both members are absent where they are empty.
type Envelope struct {
	Events *Events `json:",omitzero"`
	Errors *Errors `json:",omitzero"`
}

// Failures returns the errors of the answer.
func (e *Envelope) Failures() []Err {
	if e.Errors == nil {
		return nil
	}
	return e.Errors.Err
}

// Fail adds an error to the answer.
func (e *Envelope) Fail(code int32, msg string) {
	if e.Errors == nil {
		e.Errors = &Errors{}
	}
	e.Errors.Err = append(e.Errors.Err, Err{Code: code, Msg: msg})
}

// Announce puts notices into the answer, which shares them.
func (e *Envelope) Announce(events *Events) { e.Events = events }

// Announced returns the notices of the answer, nil for none.
func (e *Envelope) Announced() *Events { return e.Events }

// The values of Resultado (domain.md §2).
const (
	Aprobado  = "A"
	Rechazado = "R"
	Parcial   = "P"
)

// FeCabResp heads the answers of the two issuing operations (interface.md §2.5).
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

// DetResponse is what the answers for one invoice have in common.
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
	return DetResponse{
		Concepto: invoice.Concepto, DocTipo: invoice.DocTipo, DocNro: invoice.DocNro,
		CbteDesde: invoice.CbteDesde, CbteHasta: invoice.CbteHasta, CbteFch: invoice.CbteFch,
		Resultado: resultado,
	}
}

// Observe adds an observation.
func (d *DetResponse) Observe(code int32, msg string) {
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

// FECompConsResult is one invoice as the service keeps it (interface.md §2.3).
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

// CAEAResult is an advance code (interface.md §2.6).
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

// ErrorBody is the body of every answer that is not a normal one
// (interface.md §7): here Code is a string.
type ErrorBody struct{ Errors ErrorList }

// ErrorList lists the errors of an ErrorBody.
type ErrorList struct{ Err []ErrorItem }

// ErrorItem is one error of an ErrorBody.
type ErrorItem struct {
	Code string
	Msg  string
}

// Failures returns the errors of the body as those of a normal answer; Code is 0
// where the text is no number.
func (b *ErrorBody) Failures() []Err {
	failures := make([]Err, len(b.Errors.Err))
	for i, item := range b.Errors.Err {
		code, err := strconv.ParseInt(item.Code, 10, 32)
		if err != nil {
			code = 0
		}
		failures[i] = Err{Code: int32(code), Msg: item.Msg}
	}
	return failures
}
