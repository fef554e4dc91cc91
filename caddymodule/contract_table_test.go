package caddymodule_test

// The answers of the operations, written out from the contract (docs/sources.md#contract) by hand
// and not from the types: s is a string, n a number, {} an object, [] an array of
// objects. A question mark is on what need not be there: the contract leaves it
// open, and the service leaves it out where there is nothing to say.
const (
	envelopeOf = ` Errors?{Err[Code:n Msg:s]} Events?{Evt[Code:n Msg:s]}`

	observationsOf = `Observaciones?{Obs[Code:n Msg:s]}`

	headerOf = `FeCabResp{Cuit:n PtoVta:n CbteTipo:n FchProceso:s CantReg:n Resultado:s Reproceso:s}`

	detailOf = `Concepto:n DocTipo:n DocNro:n CbteDesde:n CbteHasta:n CbteFch:s Resultado:s ` + observationsOf

	invoiceMembers = `Concepto:n DocTipo:n DocNro:n CbteDesde:n CbteHasta:n CbteFch:s` +
		` ImpTotal:n ImpTotConc:n ImpNeto:n ImpOpEx:n ImpTrib:n ImpIVA:n` +
		` FchServDesde:s FchServHasta:s FchVtoPago:s MonId:s MonCotiz:n` +
		` CbtesAsoc?{CbteAsoc[Tipo:n PtoVta:n Nro:n Cuit?:s CbteFch?:s]}` +
		` Tributos?{Tributo[Id:n Desc:s BaseImp:n Alic:n Importe:n]}` +
		` Iva?{AlicIva[Id:n BaseImp:n Importe:n]}` +
		` Opcionales?{Opcional[Id:s Valor:s]}` +
		` Compradores?{Comprador[DocTipo:n DocNro:n Porcentaje:n]}` +
		` PeriodoAsoc?{FchDesde:s FchHasta:s}` +
		` Actividades?{Actividad[Id:n]}` +
		// Beyond the twenty: the live service's own (contract arca).
		` CanMisMonExt?:s CondicionIVAReceptorId?:n`

	advanceOf = `ResultGet?{CAEA:s Periodo:n Orden:n FchVigDesde:s FchVigHasta:s FchTopeInf:s FchProceso:s ` + observationsOf + `}`

	numericRow = `Id:n Desc:s FchDesde:s FchHasta:s`
	textualRow = `Id:s Desc:s FchDesde:s FchHasta:s`
)

// answerTable is one line for each operation: the twenty, then the extensions.
var answerTable = map[string]string{
	"FECAESolicitar":               headerOf + ` FeDetResp?{FECAEDetResponse[` + detailOf + ` CAE:s CAEFchVto:s]}` + envelopeOf,
	"FECAEARegInformativo":         headerOf + ` FeDetResp?{FECAEADetResponse[` + detailOf + ` CAEA:s]}` + envelopeOf,
	"FECompConsultar":              `ResultGet?{` + invoiceMembers + ` Resultado:s CodAutorizacion:s EmisionTipo:s FchVto:s FchProceso:s ` + observationsOf + ` PtoVta:n CbteTipo:n}` + envelopeOf,
	"FECompUltimoAutorizado":       `PtoVta:n CbteTipo:n CbteNro:n` + envelopeOf,
	"FECompTotXRequest":            `RegXReq:n` + envelopeOf,
	"FECAEASolicitar":              advanceOf + envelopeOf,
	"FECAEASinMovimientoConsultar": `ResultGet?{FECAEASinMov[CAEA:s FchProceso:s PtoVta:n]}` + envelopeOf,
	"FECAEASinMovimientoInformar":  `CAEA:s FchProceso:s PtoVta:n Resultado:s` + envelopeOf,
	"FEParamGetCotizacion":         `ResultGet?{MonId:s MonCotiz:n FchCotiz:s}` + envelopeOf,
	"FEParamGetTiposOpcional":      `ResultGet{OpcionalTipo[` + textualRow + `]}` + envelopeOf,
	"FEParamGetTiposConcepto":      `ResultGet{ConceptoTipo[` + numericRow + `]}` + envelopeOf,
	"FEParamGetTiposTributos":      `ResultGet{TributoTipo[` + numericRow + `]}` + envelopeOf,
	"FEParamGetTiposMonedas":       `ResultGet{Moneda[` + textualRow + `]}` + envelopeOf,
	"FEParamGetPtosVenta":          `ResultGet{PtoVenta[Nro:n EmisionTipo:s Bloqueado:s FchBaja:s]}` + envelopeOf,
	"FEParamGetTiposCbte":          `ResultGet{CbteTipo[` + numericRow + `]}` + envelopeOf,
	"FEParamGetTiposIva":           `ResultGet{IvaTipo[` + textualRow + `]}` + envelopeOf,
	"FEParamGetTiposDoc":           `ResultGet{DocTipo[` + numericRow + `]}` + envelopeOf,
	"FEParamGetActividades":        `ResultGet{ActividadesTipo[Id:n Orden:n Desc:s]}` + envelopeOf,
	"FEParamGetTiposPaises":        `ResultGet{PaisTipo[Id:n Desc:s]}` + envelopeOf,
	"FEDummy":                      `AppServer:s DbServer:s AuthServer:s`,

	// A rejection of this one repeats the fortnight and nothing else.
	"FECAEAConsultar": `ResultGet{CAEA?:s Periodo:n Orden:n FchVigDesde?:s FchVigHasta?:s FchTopeInf?:s FchProceso?:s ` +
		observationsOf + `}` + envelopeOf,
	"FEParamGetCondicionIvaReceptor": `ResultGet{CondicionIvaReceptor[Id:n Desc:s Cmp_Clase:s]}` + envelopeOf,
}
