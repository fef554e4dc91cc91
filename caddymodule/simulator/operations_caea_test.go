package simulator_test

import (
	"fmt"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1"
)

// advance asks for the code of the present fortnight, reports an invoice under it
// at point of sale 3, and says that 4 has issued none.
func (c *conversation) advance() {
	periodo, orden, firstDay := caddytest.Fortnight(c, c.today)
	period := fmt.Sprintf(`,"Periodo":%d,"Orden":%d`, periodo, orden)

	none := c.ask("FECAEAConsultar", period)
	c.is(none, "/Errors/Err/0/Code", "602")

	got := c.ask("FECAEASolicitar", period)
	c.is(got, "/ResultGet/Periodo", fmt.Sprint(periodo))
	c.is(got, "/ResultGet/Orden", fmt.Sprint(orden))
	caea := c.matches(got, "/ResultGet/CAEA", `\d{14}`)
	from := c.matches(got, "/ResultGet/FchVigDesde", `\d{8}`)
	to := c.matches(got, "/ResultGet/FchVigHasta", `\d{8}`)
	deadline := c.matches(got, "/ResultGet/FchTopeInf", `\d{8}`)
	if day := string(c.today); from > day || day > to || deadline <= to {
		c.Errorf("the code of %s is valid from %s to %s and to be reported until %s", day, from, to, deadline)
	}
	found := c.ask("FECAEAConsultar", period)
	for _, member := range []string{"CAEA", "Periodo", "Orden", "FchVigDesde", "FchVigHasta", "FchTopeInf", "FchProceso"} {
		c.is(found, "/ResultGet/"+member, got.At(c, "/ResultGet/"+member))
	}
	c.is(c.ask("FECAEASolicitar", period), "/Errors/Err/0/Code", "15008")

	c.inform(caea)
	c.withoutMovement(caea, firstDay)
}

// inform reports an invoice issued under an advance code, and finds it again.
func (c *conversation) inform(caea string) {
	const series = `"PtoVta":3,"CbteTipo":6`
	detail := fmt.Sprintf(`{"Concepto":1,"DocTipo":99,"DocNro":0,"CbteDesde":1,"CbteHasta":1,"CbteFch":%q,`+
		`"ImpTotal":121.00,"ImpTotConc":0,"ImpNeto":100.00,"ImpOpEx":0,"ImpTrib":0,"ImpIVA":21.00,`+
		`"MonId":"PES","MonCotiz":1,"CondicionIVAReceptorId":5,"Iva":{"AlicIva":[{"Id":5,"BaseImp":100.00,"Importe":21.00}]},`+
		`"CAEA":%q,"CbteFchHsGen":%q}`, string(c.today), caea, time.Now().In(wsfev1.Argentina).Format("20060102150405"))
	got := c.ask("FECAEARegInformativo",
		`,"FeCAEARegInfReq":{"FeCabReq":{"CantReg":1,`+series+`},"FeDetReq":{"FECAEADetRequest":[`+detail+`]}}`)
	c.is(got, "/FeCabResp/Resultado", `"A"`)
	c.is(got, "/FeDetResp/FECAEADetResponse/0/Resultado", `"A"`)
	c.is(got, "/FeDetResp/FECAEADetResponse/0/CAEA", `"`+caea+`"`)

	c.is(c.ask("FECompUltimoAutorizado", ","+series), "/CbteNro", "1")
	got = c.ask("FECompConsultar", `,"FeCompConsReq":{"CbteTipo":6,"CbteNro":1,"PtoVta":3}`)
	c.is(got, "/ResultGet/EmisionTipo", `"CAEA"`)
	c.is(got, "/ResultGet/CodAutorizacion", `"`+caea+`"`)
}

// withoutMovement says that a point of sale has issued nothing, which is allowed
// from the second day of the fortnight on.
func (c *conversation) withoutMovement(caea string, firstDay bool) {
	of := func(ptoVta int) string { return fmt.Sprintf(`,"PtoVta":%d,"CAEA":%q`, ptoVta, caea) }
	used := c.ask("FECAEASinMovimientoInformar", of(3))
	c.is(used, "/Resultado", `"R"`)
	c.is(used, "/Errors/Err/0/Code", "1202")
	c.is(c.ask("FECAEASinMovimientoConsultar", of(4)), "/Errors/Err/0/Code", "10102")

	got := c.ask("FECAEASinMovimientoInformar", of(4))
	c.is(got, "/CAEA", `"`+caea+`"`)
	c.is(got, "/PtoVta", "4")
	c.is(got, "/FchProceso", `"`+string(c.today)+`"`)
	if firstDay {
		c.is(got, "/Resultado", `"R"`)
		c.is(got, "/Errors/Err/0/Code", "1203")
		return
	}
	c.is(got, "/Resultado", `"A"`)
	declared := c.ask("FECAEASinMovimientoConsultar", of(4))
	c.rows(declared, "/ResultGet/FECAEASinMov", 1)
	c.is(declared, "/ResultGet/FECAEASinMov/0/CAEA", `"`+caea+`"`)
	c.is(declared, "/ResultGet/FECAEASinMov/0/PtoVta", "4")
}

// lookUp reads every table whole.
func (c *conversation) lookUp() {
	for _, table := range []struct {
		operation, list string
		rows            int
		first           string
	}{
		{"FEParamGetTiposCbte", "CbteTipo", 36, "1"},
		{"FEParamGetTiposConcepto", "ConceptoTipo", 3, "1"},
		{"FEParamGetTiposDoc", "DocTipo", 36, "80"},
		{"FEParamGetTiposIva", "IvaTipo", 6, `"3"`},
		{"FEParamGetTiposMonedas", "Moneda", 49, `"PES"`},
		{"FEParamGetTiposOpcional", "OpcionalTipo", 24, `"2"`},
		{"FEParamGetTiposTributos", "TributoTipo", 11, "1"},
		{"FEParamGetTiposPaises", "PaisTipo", 296, ""},
		{"FEParamGetActividades", "ActividadesTipo", 3, ""},
		{"FEParamGetCondicionIvaReceptor", "CondicionIvaReceptor", 11, "1"},
	} {
		got := c.ask(table.operation, "")
		c.rows(got, "/ResultGet/"+table.list, table.rows)
		if table.first != "" {
			c.is(got, "/ResultGet/"+table.list+"/0/Id", table.first)
		}
	}
	narrowed := c.ask("FEParamGetCondicionIvaReceptor", `,"ClaseCmp":"A"`)
	c.is(narrowed, "/ResultGet/CondicionIvaReceptor/0/Cmp_Clase", `"A"`)

	points := c.ask("FEParamGetPtosVenta", "")
	c.rows(points, "/ResultGet/PtoVenta", 4)
	for i, emision := range []string{"CAE", "CAE", "CAEA", "CAEA"} {
		c.is(points, fmt.Sprintf("/ResultGet/PtoVenta/%d/Nro", i), fmt.Sprint(i+1))
		c.is(points, fmt.Sprintf("/ResultGet/PtoVenta/%d/EmisionTipo", i), `"`+emision+`"`)
		c.is(points, fmt.Sprintf("/ResultGet/PtoVenta/%d/Bloqueado", i), `"N"`)
	}
	rate := c.ask("FEParamGetCotizacion", `,"MonId":"DOL"`)
	c.is(rate, "/ResultGet/MonId", `"DOL"`)
	if day := c.matches(rate, "/ResultGet/FchCotiz", `\d{8}`); day >= string(c.today) {
		c.Errorf("the rate is of %s", day)
	}
	c.is(c.ask("FEParamGetCotizacion", `,"MonId":"XXX"`), "/Errors/Err/0/Code", "12000")
}

func (c *conversation) health() {
	got := c.ask("FEDummy", "")
	for _, server := range []string{"/AppServer", "/DbServer", "/AuthServer"} {
		c.is(got, server, `"OK"`)
	}
}
