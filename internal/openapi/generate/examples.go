package main

import (
	"fmt"
	"reflect"

	"github.com/fielato/fielato/wsfev1"
)

// summaries are what each operation is for, in one line.
var summaries = map[string]string{
	"FECAESolicitar":                 "Authorise invoices: each gets a CAE, or is rejected.",
	"FECAEARegInformativo":           "Report invoices that were issued under an advance code (CAEA).",
	"FECompConsultar":                "Look an invoice up by its number.",
	"FECompUltimoAutorizado":         "Tell the last number of a series, 0 for a new one.",
	"FECompTotXRequest":              "Tell how many invoices a request may hold.",
	"FECAEASolicitar":                "Get the advance code (CAEA) of a fortnight.",
	"FECAEASinMovimientoConsultar":   "List points of sale that were declared without movement under an advance code.",
	"FECAEASinMovimientoInformar":    "Declare that a point of sale issued nothing under an advance code.",
	"FEParamGetCotizacion":           "Tell the rate of a currency in pesos.",
	"FEParamGetTiposOpcional":        "List the kinds of optional data.",
	"FEParamGetTiposConcepto":        "List the concepts: products, services, both.",
	"FEParamGetTiposTributos":        "List the taxes other than IVA.",
	"FEParamGetTiposMonedas":         "List the currencies.",
	"FEParamGetPtosVenta":            "List the issuer's points of sale.",
	"FEParamGetTiposCbte":            "List the types of voucher.",
	"FEParamGetTiposIva":             "List the rates of IVA.",
	"FEParamGetTiposDoc":             "List the kinds of document of a receiver.",
	"FEParamGetActividades":          "List the issuer's activities.",
	"FEParamGetTiposPaises":          "List the countries.",
	"FEDummy":                        "Tell whether the service's three servers work. It needs no credentials.",
	"FECAEAConsultar":                "Look up the advance code (CAEA) of a fortnight.",
	"FEParamGetCondicionIvaReceptor": "List the IVA conditions that a receiver may have.",
}

// The credentials and the issuer of the examples; with the built-in service they work.
var (
	auth      = wsfev1.Auth{Token: "any-token", Sign: "any-sign", Cuit: 20111111112}
	condition = int32(5)
	invoice   = wsfev1.FECAEDetRequest{
		Concepto: 1, DocTipo: 99, CbteDesde: 1, CbteHasta: 1, CbteFch: "20261120",
		ImpTotal: wsfev1.MustAmount("121.00"), ImpTotConc: wsfev1.MustAmount("0"), ImpNeto: wsfev1.MustAmount("100.00"),
		ImpOpEx: wsfev1.MustAmount("0"), ImpTrib: wsfev1.MustAmount("0"), ImpIVA: wsfev1.MustAmount("21.00"),
		MonId: "PES", MonCotiz: wsfev1.MustAmount("1"), CondicionIVAReceptorId: &condition,
		Iva: &wsfev1.Iva{AlicIva: []wsfev1.AlicIva{{Id: 5, BaseImp: wsfev1.MustAmount("100.00"), Importe: wsfev1.MustAmount("21.00")}}},
	}
	header = wsfev1.FeCabReq{CantReg: 1, PtoVta: 1, CbteTipo: 6}
	caea   = "36470000000017"
	moment = wsfev1.Timestamp("20261120103015")
)

// requests are the examples of requests that hold more than credentials.
var requests = map[string]any{
	"FECAESolicitar": wsfev1.FECAESolicitarRequest{Auth: auth, FeCAEReq: wsfev1.FeCAEReq{
		FeCabReq: header, FeDetReq: wsfev1.FeCAEDetReq{FECAEDetRequest: []wsfev1.FECAEDetRequest{invoice}},
	}},
	"FECAEARegInformativo": wsfev1.FECAEARegInformativoRequest{Auth: auth, FeCAEARegInfReq: wsfev1.FeCAEARegInfReq{
		FeCabReq: wsfev1.FeCabReq{CantReg: 1, PtoVta: 3, CbteTipo: 6},
		FeDetReq: wsfev1.FeCAEADetReq{FECAEADetRequest: []wsfev1.FECAEADetRequest{{
			FECAEDetRequest: invoice, CAEA: caea, CbteFchHsGen: "20261120102910",
		}}},
	}},
	"FECompConsultar":                wsfev1.FECompConsultarRequest{Auth: auth, FeCompConsReq: wsfev1.FeCompConsReq{CbteTipo: 6, CbteNro: 1, PtoVta: 1}},
	"FECompUltimoAutorizado":         wsfev1.FECompUltimoAutorizadoRequest{Auth: auth, PtoVta: 1, CbteTipo: 6},
	"FECAEASolicitar":                wsfev1.FECAEASolicitarRequest{Auth: auth, Periodo: 202611, Orden: 2},
	"FECAEAConsultar":                wsfev1.FECAEASolicitarRequest{Auth: auth, Periodo: 202611, Orden: 2},
	"FECAEASinMovimientoConsultar":   wsfev1.FECAEASinMovimientoRequest{Auth: auth, PtoVta: 3, CAEA: caea},
	"FECAEASinMovimientoInformar":    wsfev1.FECAEASinMovimientoRequest{Auth: auth, PtoVta: 3, CAEA: caea},
	"FEParamGetCotizacion":           wsfev1.FEParamGetCotizacionRequest{Auth: auth, MonId: "DOL"},
	"FEParamGetCondicionIvaReceptor": wsfev1.FEParamGetCondicionIvaReceptorRequest{Auth: auth, ClaseCmp: "B"},
	"FEDummy":                        wsfev1.FEDummyRequest{},
}

// answers are the examples of answers, except for the tables.
var answers = map[string]any{
	"FECAESolicitar": wsfev1.FECAESolicitarAnswer{
		FeCabResp: &wsfev1.FeCabResp{
			Cuit: auth.Cuit, PtoVta: 1, CbteTipo: 6, FchProceso: moment, CantReg: 1, Resultado: wsfev1.Aprobado, Reproceso: "N",
		},
		FeDetResp: &wsfev1.FeCAEDetResp{FECAEDetResponse: []wsfev1.FECAEDetResponse{{
			DetResponse: wsfev1.AnswerTo(&invoice, wsfev1.Aprobado), CAE: "96470000000018", CAEFchVto: "20261130",
		}}},
	},
	"FECAEARegInformativo": wsfev1.FECAEARegInformativoAnswer{
		FeCabResp: &wsfev1.FeCabResp{
			Cuit: auth.Cuit, PtoVta: 3, CbteTipo: 6, FchProceso: moment, CantReg: 1, Resultado: wsfev1.Aprobado, Reproceso: "N",
		},
		FeDetResp: &wsfev1.FeCAEADetResp{FECAEADetResponse: []wsfev1.FECAEADetResponse{{
			DetResponse: wsfev1.AnswerTo(&invoice, wsfev1.Aprobado), CAEA: caea,
		}}},
	},
	"FECompConsultar": wsfev1.FECompConsultarAnswer{ResultGet: &wsfev1.FECompConsResult{
		FECAEDetRequest: invoice, Resultado: wsfev1.Aprobado, CodAutorizacion: "96470000000018", EmisionTipo: "CAE",
		FchVto: "20261130", FchProceso: moment, PtoVta: 1, CbteTipo: 6,
	}},
	"FECompUltimoAutorizado": wsfev1.FECompUltimoAutorizadoAnswer{PtoVta: 1, CbteTipo: 6, CbteNro: 1},
	"FECompTotXRequest":      wsfev1.FECompTotXRequestAnswer{RegXReq: 250},
	"FECAEASolicitar":        wsfev1.FECAEASolicitarAnswer{ResultGet: &advance},
	"FECAEAConsultar":        wsfev1.FECAEAConsultarAnswer{ResultGet: &advance},
	"FECAEASinMovimientoConsultar": wsfev1.FECAEASinMovimientoConsultarAnswer{
		ResultGet: &wsfev1.FECAEASinMovResult{FECAEASinMov: []wsfev1.FECAEASinMov{quiet}},
	},
	"FECAEASinMovimientoInformar": wsfev1.FECAEASinMovimientoInformarAnswer{FECAEASinMov: quiet, Resultado: wsfev1.Aprobado},
	"FEDummy":                     wsfev1.FEDummyAnswer{AppServer: "OK", DbServer: "OK", AuthServer: "OK"},
	"FEParamGetCotizacion": wsfev1.FEParamGetCotizacionAnswer{ResultGet: &wsfev1.Cotizacion{
		MonId: "DOL", MonCotiz: wsfev1.MustAmount("1426.500000"), FchCotiz: "20261119",
	}},
	"FEParamGetPtosVenta": wsfev1.FEParamGetPtosVentaAnswer{ResultGet: &wsfev1.PtoVentaList{PtoVenta: []wsfev1.PtoVenta{
		{Nro: 1, EmisionTipo: "CAE", Bloqueado: "N", FchBaja: "NULL"},
	}}},
	"FEParamGetActividades": wsfev1.FEParamGetActividadesAnswer{ResultGet: &wsfev1.ActividadesTipoList{
		ActividadesTipo: []wsfev1.ActividadesTipo{{Id: 620100, Orden: 1, Desc: "SERVICIOS DE CONSULTORES EN INFORMÁTICA"}},
	}},
}

var (
	advance = wsfev1.CAEAResult{
		CAEA: caea, Periodo: 202611, Orden: 2, FchVigDesde: "20261116", FchVigHasta: "20261130", FchTopeInf: "20261208", FchProceso: moment,
	}
	quiet = wsfev1.FECAEASinMov{CAEA: caea, FchProceso: "20261120", PtoVta: 3}
)

// tables are the rows of the tables that are the same for every issuer.
var tables = wsfev1.Tables()

// tableAnswers show the first row of each table.
var tableAnswers = map[string]any{
	"FEParamGetTiposOpcional":        table(wsfev1.OpcionalTipoList{OpcionalTipo: tables.Opcional[:1]}),
	"FEParamGetTiposConcepto":        table(wsfev1.ConceptoTipoList{ConceptoTipo: tables.Concepto[:1]}),
	"FEParamGetTiposTributos":        table(wsfev1.TributoTipoList{TributoTipo: tables.Tributo[:1]}),
	"FEParamGetTiposMonedas":         table(wsfev1.MonedaList{Moneda: tables.Moneda[:1]}),
	"FEParamGetTiposCbte":            table(wsfev1.CbteTipoList{CbteTipo: tables.Cbte[:1]}),
	"FEParamGetTiposIva":             table(wsfev1.IvaTipoList{IvaTipo: tables.Iva[:1]}),
	"FEParamGetTiposDoc":             table(wsfev1.DocTipoList{DocTipo: tables.Doc[:1]}),
	"FEParamGetTiposPaises":          table(wsfev1.PaisTipoList{PaisTipo: tables.Pais[:1]}),
	"FEParamGetCondicionIvaReceptor": table(wsfev1.CondicionIvaReceptorList{CondicionIvaReceptor: tables.CondicionIvaReceptor[:1]}),
}

func table[Result any](rows Result) wsfev1.TableAnswer[Result] {
	return wsfev1.TableAnswer[Result]{ResultGet: &rows}
}

// exampleOf returns a request and the answer to it, of the operation's own types.
func exampleOf(op *wsfev1.Operation) (request, answer any, err error) {
	if request = requests[op.Name]; request == nil {
		request = wsfev1.AuthRequest{Auth: auth}
	}
	if answer = answers[op.Name]; answer == nil {
		answer = tableAnswers[op.Name]
	}
	switch {
	case summaries[op.Name] == "":
		return nil, nil, fmt.Errorf("there is no summary")
	case reflect.TypeOf(request) != op.Request.Type:
		return nil, nil, fmt.Errorf("the example of a request is a %T", request)
	case reflect.TypeOf(answer) != op.Answer.Type:
		return nil, nil, fmt.Errorf("the example of an answer is a %T", answer)
	}
	return request, answer, nil
}
