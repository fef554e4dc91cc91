package compare_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/fielato/fielato/wsfev1"
)

// TestWhatTheServiceMakesOfAnInvoiceIsStillTheInvoice: the service fills in and reformats
// members. A client that lost its answer must not hear that the number is another's.
func TestWhatTheServiceMakesOfAnInvoiceIsStillTheInvoice(t *testing.T) {
	type invoice = wsfev1.FECAEDetRequest
	nothing := func(*invoice) {}
	for name, change := range map[string]struct{ sent, kept func(*invoice) }{
		"amounts without the zeros that end them": {
			func(v *invoice) { v.ImpTotal = wsfev1.MustAmount("122.00") },
			func(v *invoice) { v.ImpTotal = wsfev1.MustAmount("122") },
		},
		"an amount that was left out": {
			func(v *invoice) { v.ImpOpEx = wsfev1.Amount{} },
			func(v *invoice) { v.ImpOpEx = wsfev1.MustAmount("0") },
		},
		"a date filled in": {func(v *invoice) { v.CbteFch = "" }, func(v *invoice) { v.CbteFch = "20261120" }},
		"no service dates of products": {
			func(v *invoice) { v.Concepto = 1 },
			func(v *invoice) { v.Concepto, v.FchServDesde, v.FchServHasta, v.FchVtoPago = 1, "", "", "" },
		},
		"the rate of pesos set": {
			func(v *invoice) { v.MonId, v.MonCotiz = "PES", wsfev1.Amount{} },
			func(v *invoice) { v.MonId, v.MonCotiz = "PES", wsfev1.MustAmount("1") },
		},
		"a rate looked up": {func(v *invoice) { v.MonCotiz = wsfev1.Amount{} }, func(v *invoice) { v.MonCotiz = wsfev1.MustAmount("1450.5") }},
		"lists in another order": {nothing, func(v *invoice) {
			slices.Reverse(v.Iva.AlicIva)
			slices.Reverse(v.Tributos.Tributo)
			slices.Reverse(v.CbtesAsoc.CbteAsoc)
			slices.Reverse(v.Opcionales.Opcional)
			slices.Reverse(v.Compradores.Comprador)
			slices.Reverse(v.Actividades.Actividad)
		}},
		"empty lists left out": {
			func(v *invoice) { v.Tributos, v.Opcionales = &wsfev1.Tributos{}, &wsfev1.Opcionales{} },
			func(v *invoice) { v.Tributos, v.Opcionales = nil, nil },
		},
		"wrappers of nothing where nothing was sent": {
			func(v *invoice) { v.CbtesAsoc, v.PeriodoAsoc = nil, nil },
			func(v *invoice) {
				v.CbtesAsoc, v.PeriodoAsoc = &wsfev1.CbtesAsoc{CbteAsoc: make([]wsfev1.CbteAsoc, 1)}, &wsfev1.PeriodoAsoc{}
			},
		},
		"the base and rate of a tax left out": {
			func(v *invoice) {
				v.Tributos.Tributo[0].BaseImp, v.Tributos.Tributo[0].Alic = wsfev1.Amount{}, wsfev1.Amount{}
			},
			func(v *invoice) {
				v.Tributos.Tributo[0].BaseImp, v.Tributos.Tributo[0].Alic = wsfev1.MustAmount("0"), wsfev1.MustAmount("0.00")
			},
		},
		"a description of spaces":  {func(v *invoice) { v.Tributos.Tributo[0].Desc = " " }, func(v *invoice) { v.Tributos.Tributo[0].Desc = "" }},
		"spaces around it":         {func(v *invoice) { v.Tributos.Tributo[0].Desc = " Municipal  " }, func(v *invoice) { v.Tributos.Tributo[0].Desc = "Municipal" }},
		"cut at 80 letters":        {func(v *invoice) { v.Tributos.Tributo[0].Desc = strings.Repeat("Tasa ", 20) }, func(v *invoice) { v.Tributos.Tributo[0].Desc = strings.Repeat("Tasa ", 16) }},
		"letters without accents":  {func(v *invoice) { v.Tributos.Tributo[0].Desc = "Percepción" }, func(v *invoice) { v.Tributos.Tributo[0].Desc = "Percepcion" }},
		"letters that were lost":   {func(v *invoice) { v.Tributos.Tributo[0].Desc = "Percepción" }, func(v *invoice) { v.Tributos.Tributo[0].Desc = "Percepci?n" }},
		"an Id without its zeros":  {func(v *invoice) { v.Opcionales.Opcional[0].Id = "0027" }, func(v *invoice) { v.Opcionales.Opcional[0].Id = "27" }},
		"the issuer's own voucher": {func(v *invoice) { v.CbtesAsoc.CbteAsoc[0].Cuit = issuer.String() }, func(v *invoice) { v.CbtesAsoc.CbteAsoc[0].Cuit = "" }},
		"and with its issuer":      {func(v *invoice) { v.CbtesAsoc.CbteAsoc[0].Cuit = "" }, func(v *invoice) { v.CbtesAsoc.CbteAsoc[0].Cuit = issuer.String() }},
		"its date left out":        {nothing, func(v *invoice) { v.CbtesAsoc.CbteAsoc[0].CbteFch = "" }},
		"S not known":              {nothing, func(v *invoice) { v.CanMisMonExt = "" }},
		"N filled in":              {func(v *invoice) { v.CanMisMonExt = "" }, func(v *invoice) { v.CanMisMonExt = "N" }},
		"the condition not known":  {nothing, func(v *invoice) { v.CondicionIVAReceptorId = nil }},
	} {
		t.Run(name, func(t *testing.T) {
			r, kept := whole(false), keptOf(t, whole(false))
			change.sent(wsfev1.LotOf(r).Invoice(0))
			change.kept(&kept.FECAEDetRequest)
			if d := differences(r, kept); len(d) > 0 {
				t.Errorf("%+v", d)
			}
		})
	}
}

// TestWhatIsForgivenIsNoMoreThanThat: beside each thing that is forgiven stands one that is
// not.
func TestWhatIsForgivenIsNoMoreThanThat(t *testing.T) {
	type invoice = wsfev1.FECAEDetRequest
	for name, change := range map[string]struct{ sent, kept func(*invoice) }{
		"the rate of pesos is 1":            {func(v *invoice) { v.MonId = "PES" }, func(v *invoice) { v.MonId, v.MonCotiz = "PES", wsfev1.MustAmount("2") }},
		"S is not filled in":                {func(v *invoice) { v.CanMisMonExt = "" }, func(v *invoice) { v.CanMisMonExt = "S" }},
		"services keep their dates":         {func(*invoice) {}, func(v *invoice) { v.FchServDesde = "" }},
		"products are not given dates":      {func(v *invoice) { v.Concepto, v.FchServDesde = 1, "" }, func(v *invoice) { v.Concepto = 1 }},
		"another issuer's voucher":          {func(v *invoice) { v.CbtesAsoc.CbteAsoc[0].Cuit = "" }, func(v *invoice) { v.CbtesAsoc.CbteAsoc[0].Cuit = "30500010912" }},
		"another text before the 80th":      {func(v *invoice) { v.Tributos.Tributo[0].Desc = "Tasa A" }, func(v *invoice) { v.Tributos.Tributo[0].Desc = "Tasa B" }},
		"a text that goes on":               {func(v *invoice) { v.Tributos.Tributo[0].Desc = "Tasa" }, func(v *invoice) { v.Tributos.Tributo[0].Desc = "Tasa B" }},
		"the same items, one of them twice": {func(*invoice) {}, func(v *invoice) { v.Iva.AlicIva[1] = v.Iva.AlicIva[0] }},
		"an item more":                      {func(*invoice) {}, func(v *invoice) { v.Iva.AlicIva = append(v.Iva.AlicIva, v.Iva.AlicIva[0]) }},
	} {
		t.Run(name, func(t *testing.T) {
			r, kept := whole(false), keptOf(t, whole(false))
			change.sent(wsfev1.LotOf(r).Invoice(0))
			change.kept(&kept.FECAEDetRequest)
			if len(differences(r, kept)) == 0 {
				t.Error("it is taken for the same")
			}
		})
	}
}

// TestRecordedConsultationsAreOfWhatWasSent compares invoices as sent with the service's
// answers about them, recorded in 2021 and 2026.
func TestRecordedConsultationsAreOfWhatWasSent(t *testing.T) {
	for name, pair := range map[string]struct{ sent, kept string }{
		"a debit note": {
			`{"Concepto":1,"DocTipo":80,"DocNro":30000000007,"CbteDesde":79,"CbteHasta":79,"CbteFch":"20210701","ImpTotal":122.0,"ImpTotConc":0.0,"ImpNeto":100.0,"ImpOpEx":0.0,"ImpTrib":1.0,"ImpIVA":21.0,"MonId":"PES","MonCotiz":1.0,"CbtesAsoc":{"CbteAsoc":[{"Tipo":1,"PtoVta":2,"Nro":1234}]},"Tributos":{"Tributo":[{"Id":99,"Desc":"Impuesto Municipal Matanza","BaseImp":100.0,"Alic":1.0,"Importe":1.0}]},"Iva":{"AlicIva":[{"Id":5,"BaseImp":100,"Importe":21}]}}`,
			`{"Concepto":1,"DocTipo":80,"DocNro":30000000007,"CbteDesde":79,"CbteHasta":79,"CbteFch":"20210701","ImpTotal":122,"ImpTotConc":0,"ImpNeto":100,"ImpOpEx":0,"ImpTrib":1,"ImpIVA":21,"FchServDesde":"","FchServHasta":"","FchVtoPago":"","MonId":"PES","MonCotiz":1,"CbtesAsoc":{"CbteAsoc":[{"Tipo":1,"PtoVta":2,"Nro":1234}]},"Tributos":{"Tributo":[{"Id":99,"Desc":"Impuesto Municipal Matanza","BaseImp":100,"Alic":1,"Importe":1}]},"Iva":{"AlicIva":[{"Id":5,"BaseImp":100,"Importe":21}]},"Resultado":"A","CodAutorizacion":"71263951828643","EmisionTipo":"CAE","FchVto":"20210711","FchProceso":"20210701172119","PtoVta":4000,"CbteTipo":2}`,
		},
		"a service": {
			`{"Concepto":3,"DocTipo":80,"DocNro":20111111112,"CbteDesde":1,"CbteHasta":1,"CbteFch":"20260923","ImpTotal":121.00,"ImpTotConc":0.00,"ImpNeto":100.00,"ImpOpEx":0.00,"ImpTrib":0.00,"ImpIVA":21.00,"FchServDesde":"20260923","FchServHasta":"20260923","FchVtoPago":"20260923","MonId":"PES","MonCotiz":1,"CondicionIVAReceptorId":1,"Iva":{"AlicIva":[{"Id":5,"BaseImp":100.00,"Importe":21.00}]}}`,
			`{"Concepto":3,"DocTipo":80,"DocNro":20111111112,"CbteDesde":1,"CbteHasta":1,"CbteFch":"20260923","ImpTotal":121,"ImpTotConc":0,"ImpNeto":100,"ImpOpEx":0,"ImpTrib":0,"ImpIVA":21,"FchServDesde":"20260923","FchServHasta":"20260923","FchVtoPago":"20260923","MonId":"PES","MonCotiz":1,"CondicionIVAReceptorId":1,"Iva":{"AlicIva":[{"Id":5,"BaseImp":100,"Importe":21}]},"Resultado":"A","CodAutorizacion":"86380923473688","EmisionTipo":"CAE","FchVto":"20261003","FchProceso":"20260923184202","PtoVta":3,"CbteTipo":1}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, kept := whole(false), &wsfev1.FECompConsResult{}
			invoice := wsfev1.LotOf(r).Invoice(0)
			*invoice = wsfev1.FECAEDetRequest{}
			if err := json.Unmarshal([]byte(pair.sent), invoice); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(pair.kept), kept); err != nil {
				t.Fatal(err)
			}
			if d := differences(r, kept); len(d) > 0 {
				t.Errorf("%+v", d)
			}
		})
	}
}
