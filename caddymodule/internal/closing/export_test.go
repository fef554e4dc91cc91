package closing

import "github.com/fielato/fielato/caddymodule/internal/story/bodies"

// PlainInvoices and DecodedInvoices return the invoices of a request, as they are added up.
func PlainInvoices(request []byte) (all []Invoice, isPlain bool) {
	used, _ := appendPlainLines(nil, []byte(usedBefore)) // its memory is used again
	lines, isPlain := appendPlainLines(used[:0], request)
	return invoicesOf(lines), isPlain
}

const usedBefore = `{"FeCAEReq":{"FeDetReq":{"FECAEDetRequest":[{"DocTipo":96,"DocNro":1,"CbteDesde":3,"CbteHasta":4,"CbteFch":"20261002","MonId":"DOL",` +
	`"ImpTotal":9,"ImpTotConc":9,"ImpNeto":9,"ImpOpEx":9,"ImpTrib":"9","ImpIVA":9,"MonCotiz":9,"Iva":{"AlicIva":[{"Id":5,"BaseImp":9,"Importe":9}]},` +
	`"CbtesAsoc":{"CbteAsoc":[{"Tipo":1,"PtoVta":2,"Nro":3,"Cuit":"20111111112"}]}}]}}}`

func DecodedInvoices(request []byte) []Invoice { return invoicesOf(bodies.Invoices[line](request)) }

func invoicesOf(lines []line) []Invoice {
	all := make([]Invoice, len(lines))
	for i := range lines {
		all[i].First, all[i].Last = lines[i].CbteDesde.value, lines[i].CbteHasta.value
		lines[i].fill(&all[i])
	}
	return all
}
