package rules_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/internal/validatetest"
	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// lotBody returns a FECAESolicitar of n invoices that add up: two rates, one tribute.
func lotBody(n int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `{"Auth":{"Token":"dG9rZW4=","Sign":"c2lnbg==","Cuit":20111111112},`+
		`"FeCAEReq":{"FeCabReq":{"CantReg":%d,"PtoVta":1,"CbteTipo":6},"FeDetReq":{"FECAEDetRequest":[`, n)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"Concepto":1,"DocTipo":96,"DocNro":30111222,"CbteDesde":%[1]d,"CbteHasta":%[1]d,"CbteFch":"20261120",`+
			`"ImpTotal":184.05,"ImpTotConc":0,"ImpNeto":150.00,"ImpOpEx":0,"ImpTrib":7.80,"ImpIVA":26.25,`+
			`"FchServDesde":"","FchServHasta":"","FchVtoPago":"","MonId":"PES","MonCotiz":1,"CondicionIVAReceptorId":5,`+
			`"Tributos":{"Tributo":[{"Id":99,"Desc":"Impuesto Municipal","BaseImp":150,"Alic":5.2,"Importe":7.80}]},`+
			`"Iva":{"AlicIva":[{"Id":5,"BaseImp":100,"Importe":21},{"Id":4,"BaseImp":50,"Importe":5.25}]}}`, i+1)
	}
	b.WriteString("]}}}")
	return []byte(b.String())
}

// BenchmarkInspect measures the shape check and the rules of a FECAESolicitar;
// the plain typed decode of the same body beside it is the yardstick.
func BenchmarkInspect(b *testing.B) {
	op := wsfev1.OperationByName("FECAESolicitar")
	rules := newRules(b)
	for _, n := range []int{1, 250} {
		body := lotBody(n)
		b.Run(fmt.Sprintf("shape+rules/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				req, findings := validate.Decode(op, body, validate.ARCA)
				if findings = append(findings, rules.Judge(req, validatetest.Noon)...); len(findings) > 0 {
					b.Fatalf("%+v", findings)
				}
			}
		})
		b.Run(fmt.Sprintf("shape/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				validate.Decode(op, body, validate.ARCA)
			}
		})
		b.Run(fmt.Sprintf("plain/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := json.Unmarshal(body, new(wsfev1.FECAESolicitarRequest)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
