package audittest

import (
	"fmt"

	"github.com/fielato/fielato/audit"
)

// The bodies are of the usual size and shape, with figures that differ from one
// to the next, so that a store's compression meets what it will meet.

func (s *Source) request(r *audit.Record) []byte {
	body := fmt.Appendf(nil, `{"Auth":{"Token":"hmac-sha256:%s","Sign":"hmac-sha256:%s","Cuit":%d},"FeCAEReq":{"FeCabReq":{"CantReg":%d,"PtoVta":%d,"CbteTipo":%d},"FeDetReq":{"FECAEDetRequest":[`,
		s.id(), s.id(), r.Cuit, len(r.Vouchers), r.PtoVta, r.CbteTipo)
	for i, v := range r.Vouchers {
		if i > 0 {
			body = append(body, ',')
		}
		net := 100 * (1 + s.random.IntN(1_000_000))
		body = fmt.Appendf(body, `{"Concepto":3,"DocTipo":80,"DocNro":%d,"CbteDesde":%d,"CbteHasta":%d,"CbteFch":"%s",`+
			`"ImpTotal":%d.00,"ImpTotConc":0.00,"ImpNeto":%d.00,"ImpOpEx":0.00,"ImpTrib":%d.00,"ImpIVA":%d.00,`+
			`"FchServDesde":"20260101","FchServHasta":"20260131","FchVtoPago":"20260215","MonId":"PES","MonCotiz":1.00,"CondicionIVAReceptorId":1,`+
			`"CbtesAsoc":{"CbteAsoc":[{"Tipo":91,"PtoVta":%d,"Nro":%d,"Cuit":"%d","CbteFch":"20260101"}]},`+
			`"Tributos":{"Tributo":[{"Id":2,"Desc":"Percepcion IIBB","BaseImp":%d.00,"Alic":3.00,"Importe":%d.00}]},`+
			`"Iva":{"AlicIva":[{"Id":5,"BaseImp":%d.00,"Importe":%d.00}]}}`,
			20000000000+s.random.Int64N(1e10), v.CbteDesde, v.CbteHasta, r.Time.Format("20060102"),
			net*124/100, net, net*3/100, net*21/100,
			r.PtoVta, s.random.IntN(100_000), r.Cuit, net, net*3/100, net, net*21/100)
	}
	return append(body, `]}}}`...)
}

func (s *Source) answer(r *audit.Record) []byte {
	body := fmt.Appendf(nil, `{"FeCabResp":{"Cuit":%d,"PtoVta":%d,"CbteTipo":%d,"FchProceso":"%s","CantReg":%d,"Resultado":"A","Reproceso":"N"},"FeDetResp":{"FECAEDetResponse":[`,
		r.Cuit, r.PtoVta, r.CbteTipo, r.Time.Format("20060102150405"), len(r.Vouchers))
	for i, v := range r.Vouchers {
		if i > 0 {
			body = append(body, ',')
		}
		body = fmt.Appendf(body, `{"Concepto":3,"DocTipo":80,"DocNro":%d,"CbteDesde":%d,"CbteHasta":%d,"CbteFch":"%s","Resultado":"A",`+
			`"Observaciones":{"Obs":[{"Code":10063,"Msg":"Receptor sin impuesto activo a la fecha del comprobante, verifique."}]},`+
			`"CAE":"%s","CAEFchVto":"%s"}`,
			20000000000+s.random.Int64N(1e10), v.CbteDesde, v.CbteHasta, r.Time.Format("20060102"),
			v.Code, r.Time.AddDate(0, 0, 10).Format("20060102"))
	}
	return append(body, `]}}`...)
}
