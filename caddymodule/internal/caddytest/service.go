package caddytest

import (
	"fmt"
	"strconv"

	"github.com/fielato/fielato/wsfev1"
)

// The processes of the tests and benchmarks agree on a list of series: each issuer
// has two, with CbteTipo 6, on its points of sale 1 and 2.

// IssuerOf is the CUIT of the issuer of a series.
func IssuerOf(series int) wsfev1.CUIT {
	cuit := wsfev1.CUIT(27_300_000_000 + series/2*1000)
	for !cuit.Valid() {
		cuit++
	}
	return cuit
}

// PointOf is the point of sale of a series.
func PointOf(series int) int { return 1 + series%2 }

// AuthOf is the Auth of the issuer of a series.
func AuthOf(series int) string {
	return fmt.Sprintf(`"Auth":{"Token":"%s","Sign":"%s","Cuit":%d}`, Token, Sign, IssuerOf(series))
}

// LotText is a FECAESolicitar of invoices with consecutive numbers.
func LotText(series int, first int64, size int) string {
	body := make([]byte, 0, 300+size*300)
	body = fmt.Appendf(body, `{%s,"FeCAEReq":{"FeCabReq":{"CantReg":%d,"PtoVta":%d,"CbteTipo":6},"FeDetReq":{"FECAEDetRequest":[`,
		AuthOf(series), size, PointOf(series))
	for number := first; number < first+int64(size); number++ {
		if number > first {
			body = append(body, ',')
		}
		body = append(body, `{"Concepto":1,"DocTipo":99,"DocNro":0,"CbteDesde":`...)
		body = strconv.AppendInt(body, number, 10)
		body = append(body, `,"CbteHasta":`...)
		body = strconv.AppendInt(body, number, 10)
		body = append(body, `,"ImpTotal":121.00,"ImpTotConc":0,"ImpNeto":100.00,"ImpOpEx":0,"ImpTrib":0,"ImpIVA":21.00,`+
			`"MonId":"PES","MonCotiz":1,"CondicionIVAReceptorId":5,"Iva":{"AlicIva":[{"Id":5,"BaseImp":100.00,"Importe":21.00}]}}`...)
	}
	return string(append(body, "]}}}"...))
}

// LastText is a FECompUltimoAutorizado.
func LastText(series int) string {
	return fmt.Sprintf(`{%s,"PtoVta":%d,"CbteTipo":6}`, AuthOf(series), PointOf(series))
}

// LookText is a FECompConsultar.
func LookText(series int, number int64) string {
	return fmt.Sprintf(`{%s,"FeCompConsReq":{"PtoVta":%d,"CbteTipo":6,"CbteNro":%d}}`, AuthOf(series), PointOf(series), number)
}
