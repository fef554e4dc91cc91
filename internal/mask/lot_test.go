package mask_test

import (
	"fmt"
	"strings"
)

// lotOf returns the request and the answer of a lot of so many invoices, as JSON or as SOAP.
func lotOf(n int, soap bool) (request, answer string) {
	var details, results strings.Builder
	for i := range n {
		detail, result := invoiceOf(i)
		if soap {
			details.WriteString(element("FECAEDetRequest", detail))
			results.WriteString(element("FECAEDetResponse", result))
			continue
		}
		if i > 0 {
			details.WriteByte(',')
			results.WriteByte(',')
		}
		details.WriteString(object(detail))
		results.WriteString(object(result))
	}
	if soap {
		request = `<Auth><Token>` + ticketToken + `</Token><Sign>` + ticketSign + `</Sign><Cuit>20111111112</Cuit></Auth><FeCAEReq><FeCabReq><CantReg>` + fmt.Sprint(n) +
			`</CantReg><PtoVta>1</PtoVta><CbteTipo>6</CbteTipo></FeCabReq><FeDetReq>` + details.String() + `</FeDetReq></FeCAEReq>`
		answer = `<FECAESolicitarResult><FeCabResp><Cuit>20111111112</Cuit><PtoVta>1</PtoVta><CbteTipo>6</CbteTipo><FchProceso>20261120150405</FchProceso><CantReg>` + fmt.Sprint(n) +
			`</CantReg><Resultado>A</Resultado><Reproceso>N</Reproceso></FeCabResp><FeDetResp>` + results.String() + `</FeDetResp></FECAESolicitarResult>`
		const namespace = ` xmlns="http://ar.gov.afip.dif.FEV1/">`
		return envelope(`<FECAESolicitar` + namespace + request + `</FECAESolicitar>`), envelope(`<FECAESolicitarResponse` + namespace + answer + `</FECAESolicitarResponse>`)
	}
	request = `{"Auth":{"Token":"` + ticketToken + `","Sign":"` + ticketSign + `","Cuit":20111111112},"FeCAEReq":{"FeCabReq":{"CantReg":` + fmt.Sprint(n) +
		`,"PtoVta":1,"CbteTipo":6},"FeDetReq":{"FECAEDetRequest":[` + details.String() + `]}}}`
	answer = `{"FeCabResp":{"Cuit":20111111112,"PtoVta":1,"CbteTipo":6,"FchProceso":"20261120150405","CantReg":` + fmt.Sprint(n) +
		`,"Resultado":"A","Reproceso":"N"},"FeDetResp":{"FECAEDetResponse":[` + results.String() + `]}}`
	return request, answer
}

// field is a member in both forms; object and list write what stands in it.
type field struct {
	name, value string
	text        bool
	members     []field
	item        string
}

// invoiceOf returns an invoice of a lot and its result.
func invoiceOf(i int) (request, answer []field) {
	neto := 100_00 + int64(i*7919)%5_000_00
	iva := neto * 21 / 100
	cents := func(n int64) string { return fmt.Sprintf("%d.%02d", n/100, n%100) }
	number := fmt.Sprint(i + 1)
	request = []field{
		{name: "Concepto", value: "1"},
		{name: "DocTipo", value: "80"},
		{name: "DocNro", value: fmt.Sprint(20222222223 + int64(i*10))},
		{name: "CbteDesde", value: number},
		{name: "CbteHasta", value: number},
		{name: "CbteFch", value: "20261120", text: true},
		{name: "ImpTotal", value: cents(neto + iva)},
		{name: "ImpTotConc", value: "0"},
		{name: "ImpNeto", value: cents(neto)},
		{name: "ImpOpEx", value: "0"},
		{name: "ImpTrib", value: "0"},
		{name: "ImpIVA", value: cents(iva)},
		{name: "MonId", value: "PES", text: true},
		{name: "MonCotiz", value: "1"},
		{name: "CondicionIVAReceptorId", value: "1"},
		{name: "Iva", item: "AlicIva", members: []field{{name: "Id", value: "5"}, {name: "BaseImp", value: cents(neto)}, {name: "Importe", value: cents(iva)}}},
	}
	answer = []field{
		{name: "Concepto", value: "1"},
		{name: "DocTipo", value: "80"},
		{name: "DocNro", value: fmt.Sprint(20222222223 + int64(i*10))},
		{name: "CbteDesde", value: number},
		{name: "CbteHasta", value: number},
		{name: "CbteFch", value: "20261120", text: true},
		{name: "Resultado", value: "A", text: true},
		{name: "CAE", value: fmt.Sprint(86470000000001 + i), text: true},
		{name: "CAEFchVto", value: "20261130", text: true},
	}
	return request, answer
}

func object(members []field) string {
	var b strings.Builder
	for i, m := range members {
		b.WriteString(map[bool]string{true: `{"`, false: `,"`}[i == 0] + m.name + `":`)
		switch {
		case m.members != nil:
			b.WriteString(`{"` + m.item + `":[` + object(m.members) + `]}`)
		case m.text:
			b.WriteString(`"` + m.value + `"`)
		default:
			b.WriteString(m.value)
		}
	}
	return b.String() + "}"
}

func element(name string, members []field) string {
	var b strings.Builder
	for _, m := range members {
		content := m.value
		if m.members != nil {
			content = element(m.item, m.members)
		}
		b.WriteString("<" + m.name + ">" + content + "</" + m.name + ">")
	}
	return "<" + name + ">" + b.String() + "</" + name + ">"
}
