package wsfev1_test

// The contract, written out from the base contract (docs/sources.md#contract) by hand and not from the types:
// members in the order of the document, with s for a string, n for a number that
// is a whole one, d for a number with decimals, {} for an object, [] for an array
// of objects. Which numbers have decimals is docs/sources.md#fields.
const (
	tAuth = `Auth{Token:s Sign:s Cuit:n}`

	tHeader = `FeCabReq{CantReg:n PtoVta:n CbteTipo:n}`

	tDetail = `Concepto:n DocTipo:n DocNro:n CbteDesde:n CbteHasta:n CbteFch:s` +
		` ImpTotal:d ImpTotConc:d ImpNeto:d ImpOpEx:d ImpTrib:d ImpIVA:d` +
		` FchServDesde:s FchServHasta:s FchVtoPago:s MonId:s MonCotiz:d` +
		` CbtesAsoc{CbteAsoc[Tipo:n PtoVta:n Nro:n Cuit:s CbteFch:s]}` +
		` Tributos{Tributo[Id:n Desc:s BaseImp:d Alic:d Importe:d]}` +
		` Iva{AlicIva[Id:n BaseImp:d Importe:d]}` +
		` Opcionales{Opcional[Id:s Valor:s]}` +
		` Compradores{Comprador[DocTipo:n DocNro:n Porcentaje:d]}` +
		` PeriodoAsoc{FchDesde:s FchHasta:s}` +
		` Actividades{Actividad[Id:n]}`

	tObs = `Observaciones{Obs[Code:n Msg:s]}`

	tCabResp = `FeCabResp{Cuit:n PtoVta:n CbteTipo:n FchProceso:s CantReg:n Resultado:s Reproceso:s}`

	tDetResp = `Concepto:n DocTipo:n DocNro:n CbteDesde:n CbteHasta:n CbteFch:s Resultado:s ` + tObs

	tAdvance = `ResultGet{CAEA:s Periodo:n Orden:n FchVigDesde:s FchVigHasta:s FchTopeInf:s FchProceso:s ` + tObs + `}`

	tNumericRow = `Id:n Desc:s FchDesde:s FchHasta:s`
	tTextualRow = `Id:s Desc:s FchDesde:s FchHasta:s`
)

// contractRow is one row of the contract. The envelope, which every answer but
// FEDummy's ends with, is not repeated in answer.
type contractRow struct{ name, request, answer string }

var contractTable = []contractRow{
	{
		"FECAESolicitar",
		tAuth + ` FeCAEReq{` + tHeader + ` FeDetReq{FECAEDetRequest[` + tDetail + `]}}`,
		tCabResp + ` FeDetResp{FECAEDetResponse[` + tDetResp + ` CAE:s CAEFchVto:s]}`,
	},
	{
		"FECAEARegInformativo",
		tAuth + ` FeCAEARegInfReq{` + tHeader + ` FeDetReq{FECAEADetRequest[` + tDetail + ` CAEA:s CbteFchHsGen:s]}}`,
		tCabResp + ` FeDetResp{FECAEADetResponse[` + tDetResp + ` CAEA:s]}`,
	},
	{
		"FECompConsultar",
		tAuth + ` FeCompConsReq{CbteTipo:n CbteNro:n PtoVta:n}`,
		`ResultGet{` + tDetail + ` Resultado:s CodAutorizacion:s EmisionTipo:s FchVto:s FchProceso:s ` + tObs +
			` PtoVta:n CbteTipo:n}`,
	},
	{"FECompUltimoAutorizado", tAuth + ` PtoVta:n CbteTipo:n`, `PtoVta:n CbteTipo:n CbteNro:n`},
	{"FECompTotXRequest", tAuth, `RegXReq:n`},
	{"FECAEASolicitar", tAuth + ` Periodo:n Orden:n`, tAdvance},
	{
		"FECAEASinMovimientoConsultar", tAuth + ` PtoVta:n CAEA:s`,
		`ResultGet{FECAEASinMov[CAEA:s FchProceso:s PtoVta:n]}`,
	},
	{"FECAEASinMovimientoInformar", tAuth + ` PtoVta:n CAEA:s`, `CAEA:s FchProceso:s PtoVta:n Resultado:s`},
	{"FEParamGetCotizacion", tAuth + ` MonId:s`, `ResultGet{MonId:s MonCotiz:d FchCotiz:s}`},
	{"FEParamGetTiposOpcional", tAuth, `ResultGet{OpcionalTipo[` + tTextualRow + `]}`},
	{"FEParamGetTiposConcepto", tAuth, `ResultGet{ConceptoTipo[` + tNumericRow + `]}`},
	{"FEParamGetTiposTributos", tAuth, `ResultGet{TributoTipo[` + tNumericRow + `]}`},
	{"FEParamGetTiposMonedas", tAuth, `ResultGet{Moneda[` + tTextualRow + `]}`},
	{"FEParamGetPtosVenta", tAuth, `ResultGet{PtoVenta[Nro:n EmisionTipo:s Bloqueado:s FchBaja:s]}`},
	{"FEParamGetTiposCbte", tAuth, `ResultGet{CbteTipo[` + tNumericRow + `]}`},
	{"FEParamGetTiposIva", tAuth, `ResultGet{IvaTipo[` + tTextualRow + `]}`},
	{"FEParamGetTiposDoc", tAuth, `ResultGet{DocTipo[` + tNumericRow + `]}`},
	{"FEParamGetActividades", tAuth, `ResultGet{ActividadesTipo[Id:n Orden:n Desc:s]}`},
	{"FEParamGetTiposPaises", tAuth, `ResultGet{PaisTipo[Id:n Desc:s]}`},
	{"FEDummy", ``, `AppServer:s DbServer:s AuthServer:s`},
}

// requiredMembers are the members without which a request has no meaning to the
// service at all: the envelope and the keys, not the fields of an invoice.
var requiredMembers = map[string]string{
	"FECAESolicitar": "Auth Auth.Token Auth.Sign Auth.Cuit FeCAEReq FeCAEReq.FeCabReq FeCAEReq.FeCabReq.CantReg" +
		" FeCAEReq.FeCabReq.PtoVta FeCAEReq.FeCabReq.CbteTipo FeCAEReq.FeDetReq FeCAEReq.FeDetReq.FECAEDetRequest",
	"FECAEARegInformativo": "Auth Auth.Token Auth.Sign Auth.Cuit FeCAEARegInfReq FeCAEARegInfReq.FeCabReq" +
		" FeCAEARegInfReq.FeCabReq.CantReg FeCAEARegInfReq.FeCabReq.PtoVta FeCAEARegInfReq.FeCabReq.CbteTipo" +
		" FeCAEARegInfReq.FeDetReq FeCAEARegInfReq.FeDetReq.FECAEADetRequest",
	"FECompConsultar": "Auth Auth.Token Auth.Sign Auth.Cuit FeCompConsReq FeCompConsReq.CbteTipo" +
		" FeCompConsReq.CbteNro FeCompConsReq.PtoVta",
	"FECompUltimoAutorizado":       "Auth Auth.Token Auth.Sign Auth.Cuit PtoVta CbteTipo",
	"FECAEASolicitar":              "Auth Auth.Token Auth.Sign Auth.Cuit Periodo Orden",
	"FECAEAConsultar":              "Auth Auth.Token Auth.Sign Auth.Cuit Periodo Orden",
	"FECAEASinMovimientoConsultar": "Auth Auth.Token Auth.Sign Auth.Cuit PtoVta CAEA",
	"FECAEASinMovimientoInformar":  "Auth Auth.Token Auth.Sign Auth.Cuit PtoVta CAEA",
	"FEParamGetCotizacion":         "Auth Auth.Token Auth.Sign Auth.Cuit MonId",
	"FEDummy":                      "",
}

// requiredByCredentialsAlone are the members that any operation not named above needs.
const requiredByCredentialsAlone = "Auth Auth.Token Auth.Sign Auth.Cuit"
