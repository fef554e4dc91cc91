package simulator_test

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/caddymodule/internal/caddytest"
	"github.com/fielato/fielato/wsfev1"
)

// conversation is one client's talk with the built-in service. Each operation is a subtest that
// relies on the invoices of the ones before it.
type conversation struct {
	*testing.T
	site  *caddytest.Site
	today wsfev1.Date
	asked map[string]bool
}

// ask sends an operation's members after Auth, and checks each member of the
// answer, that it came with HTTP 200, and that its record says so.
func (c *conversation) ask(operation, members string) caddytest.Response {
	c.Helper()
	c.asked[operation] = true
	body := "{" + caddytest.AuthText + members + "}"
	if operation == "FEDummy" {
		body = "{}"
	}
	got := c.site.Post(operation, body)
	if got.Status != 200 || got.Header.Get("Content-Type") != "application/json" {
		c.Fatalf("%s: %d %v %s", operation, got.Status, got.Header, got.Body)
	}
	caddytest.CheckAnswer(c, operation, got.Body)
	if r := c.site.Last(); r.Operation != operation || string(r.Answer) != string(got.Body) {
		c.Errorf("%s: recorded %s with %s", operation, r.Operation, r.Answer)
	}
	return got
}

// is checks one value of an answer.
func (c *conversation) is(got caddytest.Response, pointer, want string) {
	c.Helper()
	if value := got.At(c, pointer); value != want {
		c.Errorf("%s is %s, want %s in %s", pointer, value, want, got.Body)
	}
}

// matches checks one text of an answer.
func (c *conversation) matches(got caddytest.Response, pointer, pattern string) string {
	c.Helper()
	value := strings.Trim(got.At(c, pointer), `"`)
	if !regexp.MustCompile("^" + pattern + "$").MatchString(value) {
		c.Errorf("%s is %s, which is not %s", pointer, value, pattern)
	}
	return value
}

// rows counts the rows of a table.
func (c *conversation) rows(got caddytest.Response, pointer string, want int) {
	c.Helper()
	var rows []jsontext.Value
	if err := json.Unmarshal([]byte(got.At(c, pointer)), &rows); err != nil || len(rows) != want {
		c.Errorf("%s has %d rows, want %d (%v)", pointer, len(rows), want, err)
	}
}

// richInvoice is a credit note that has every member of docs/sources.md#contract, and
// breaks no rule.
func richInvoice(today wsfev1.Date) string {
	return fmt.Sprintf(`{"Concepto":1,"DocTipo":80,"DocNro":30500010912,"CbteDesde":1,"CbteHasta":1,"CbteFch":%[1]q,`+
		`"ImpTotal":1320.51,"ImpTotConc":10.01,"ImpNeto":1000.00,"ImpOpEx":20.50,"ImpTrib":50.00,"ImpIVA":240.00,`+
		`"FchServDesde":%[1]q,"FchServHasta":%[1]q,"FchVtoPago":%[1]q,"MonId":"PES","MonCotiz":1.000,`+
		`"CondicionIVAReceptorId":4,"CanMisMonExt":"N",`+
		`"CbtesAsoc":{"CbteAsoc":[{"Tipo":6,"PtoVta":1,"Nro":1,"Cuit":"20111111112","CbteFch":%[1]q}]},`+
		`"Tributos":{"Tributo":[{"Id":2,"Desc":"Ingresos Brutos","BaseImp":1000.00,"Alic":5.00,"Importe":50.00}]},`+
		`"Iva":{"AlicIva":[{"Id":5,"BaseImp":500.00,"Importe":105.00},{"Id":6,"BaseImp":500.00,"Importe":135.00}]},`+
		`"Opcionales":{"Opcional":[{"Id":"23","Valor":"orden7"}]},`+
		`"Compradores":{"Comprador":[{"DocTipo":80,"DocNro":30500010912,"Porcentaje":60.00},`+
		`{"DocTipo":80,"DocNro":30000000007,"Porcentaje":40.00}]},`+
		`"PeriodoAsoc":{"FchDesde":%[1]q,"FchHasta":%[1]q},"Actividades":{"Actividad":[{"Id":620100}]}}`, string(today))
}

// TestEveryOperationThroughTheBuiltInService.
func TestEveryOperationThroughTheBuiltInService(t *testing.T) {
	c := &conversation{T: t, site: caddytest.Start(t, caddytest.WithBackend(t)), today: wsfev1.DateOf(time.Now()), asked: map[string]bool{}}
	for _, part := range []struct {
		name string
		talk func(*conversation)
	}{
		{"invoices", (*conversation).issue},
		{"advance codes", (*conversation).advance},
		{"tables", (*conversation).lookUp},
		{"health", (*conversation).health},
	} {
		t.Run(part.name, func(t *testing.T) {
			inner := *c
			inner.T, inner.site = t, &caddytest.Site{T: t, URL: c.site.URL, Metrics: c.site.Metrics, Store: c.site.Store}
			part.talk(&inner)
		})
	}
	for _, op := range wsfev1.Operations {
		if !c.asked[op.Name] {
			t.Errorf("%s was not asked", op.Name)
		}
	}
}

func (c *conversation) issue() {
	const series = `,"PtoVta":1,"CbteTipo":8`
	c.is(c.ask("FECompUltimoAutorizado", series), "/CbteNro", "0")
	c.is(c.ask("FECompTotXRequest", ""), "/RegXReq", "250")

	sent := richInvoice(c.today)
	got := c.ask("FECAESolicitar", `,"FeCAEReq":{"FeCabReq":{"CantReg":1`+series+`},"FeDetReq":{"FECAEDetRequest":[`+sent+`]}}`)
	for pointer, want := range map[string]string{
		"/FeCabResp/Cuit": "20111111112", "/FeCabResp/PtoVta": "1", "/FeCabResp/CbteTipo": "8",
		"/FeCabResp/CantReg": "1", "/FeCabResp/Resultado": `"A"`, "/FeCabResp/Reproceso": `"N"`,
		"/FeDetResp/FECAEDetResponse/0/Resultado": `"A"`, "/FeDetResp/FECAEDetResponse/0/CbteDesde": "1",
		"/FeDetResp/FECAEDetResponse/0/CbteFch": `"` + string(c.today) + `"`,
	} {
		c.is(got, pointer, want)
	}
	c.matches(got, "/FeCabResp/FchProceso", `\d{14}`)
	cae := c.matches(got, "/FeDetResp/FECAEDetResponse/0/CAE", `\d{14}`)
	due := c.matches(got, "/FeDetResp/FECAEDetResponse/0/CAEFchVto", `\d{8}`)
	if want := string(c.today.AddDays(10)); due != want {
		c.Errorf("CAEFchVto %s, want %s", due, want)
	}
	c.is(c.ask("FECompUltimoAutorizado", series), "/CbteNro", "1")

	got = c.ask("FECompConsultar", `,"FeCompConsReq":{"CbteTipo":8,"CbteNro":1,"PtoVta":1}`)
	for pointer, want := range map[string]string{
		"/ResultGet/CodAutorizacion": `"` + cae + `"`, "/ResultGet/EmisionTipo": `"CAE"`, "/ResultGet/Resultado": `"A"`,
		"/ResultGet/FchVto": `"` + due + `"`, "/ResultGet/PtoVta": "1", "/ResultGet/CbteTipo": "8",
	} {
		c.is(got, pointer, want)
	}
	var members, issued map[string]jsontext.Value
	if json.Unmarshal([]byte(sent), &members) != nil || json.Unmarshal([]byte(got.At(c, "/ResultGet")), &issued) != nil {
		c.Fatalf("%s", got.Body)
	}
	for name, value := range members {
		if canonical(c, issued[name]) != canonical(c, value) {
			c.Errorf("consulted %s is %s, issued was %s", name, issued[name], value)
		}
	}

	rejected := c.ask("FECompConsultar", `,"FeCompConsReq":{"CbteTipo":8,"CbteNro":2,"PtoVta":1}`)
	c.is(rejected, "/Errors/Err/0/Code", "602")
	if got := c.site.Last().Outcome; got != "answered" {
		c.Errorf("a query for what is not there is %s, want answered", got)
	}
	c.is(rejected, "/ResultGet", "")
	again := c.ask("FECAESolicitar", `,"FeCAEReq":{"FeCabReq":{"CantReg":1`+series+`},"FeDetReq":{"FECAEDetRequest":[`+sent+`]}}`)
	c.is(again, "/Errors/Err/0/Code", "10016")
	c.is(again, "/FeDetResp/FECAEDetResponse/0/CAE", `""`)
}

// canonical writes a value so that two which mean the same are equal: 1.50 is 1.5,
// and the order of members is nothing.
func canonical(t testing.TB, value jsontext.Value) string {
	t.Helper()
	var out strings.Builder
	ordered := value.Clone()
	if len(value) == 0 || ordered.Format(jsontext.ReorderRawObjects(true)) != nil {
		return "(nothing)"
	}
	dec := jsontext.NewDecoder(strings.NewReader(string(ordered)))
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return out.String()
		}
		if token.Kind() == '0' {
			number, ok := new(big.Rat).SetString(token.String())
			if !ok {
				t.Fatalf("number %s", token)
			}
			out.WriteString(number.RatString() + " ")
			continue
		}
		out.WriteString(token.String() + " ")
	}
}
