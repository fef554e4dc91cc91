package tryit

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/fielato/fielato/validate"
	"github.com/fielato/fielato/wsfev1"
)

// The examples that the page loads, by the parameter example of its address.
const (
	exampleRight = "1"
	exampleWrong = "wrong"
)

// invoice is an invented Factura B of 100.00 and its IVA to a final consumer, who needs no document. No
// company has the issuer's CUIT.
const invoice = `{
  "Auth": { "Cuit": 20111111112 },
  "FeCAEReq": {
    "FeCabReq": { "CantReg": 1, "PtoVta": 1, "CbteTipo": 6 },
    "FeDetReq": {
      "FECAEDetRequest": [
        {
          "Concepto": 1,
          "DocTipo": 99,
          "DocNro": 0,
          "CondicionIVAReceptorId": 5,
          "CbteDesde": 1,
          "CbteHasta": 1,
          "CbteFch": "DATE",
          "ImpTotal": TOTAL,
          "ImpTotConc": 0.00,
          "ImpNeto": 100.00,
          "ImpOpEx": 0.00,
          "ImpTrib": 0.00,
          "ImpIVA": 21.00,
          "MonId": "PES",
          "MonCotiz": 1.00,
          "Iva": {
            "AlicIva": [
              { "Id": 5, "BaseImp": 100.00, "Importe": 21.00 }
            ]
          }
        }
      ]
    }
  }
}
`

// extension is the line of the invoice that the contract base lacks.
const extension = `          "CondicionIVAReceptorId": 5,
`

// exampleOf returns the example of a name, issued on a day, empty for any other name.
func exampleOf(name string, day wsfev1.Date, contract validate.Contract) string {
	total := map[string]string{exampleRight: "121.00", exampleWrong: "150.00"}[name]
	if total == "" {
		return ""
	}
	text := strings.NewReplacer("DATE", string(day), "TOTAL", total).Replace(invoice)
	if contract == validate.Base {
		text = strings.Replace(text, extension, "", 1)
	}
	return text
}

// loadExample puts the example that the address names into the box, and judges it.
func (t *tryPage) loadExample(r *http.Request, p *shown) (err error) {
	p.Document = exampleOf(r.URL.Query().Get("example"), wsfev1.DateOf(t.site.Moment(p.Book)), p.Book.Contract)
	if p.Document != "" {
		p.Verdict, err = t.verdict(r, p, []byte(p.Document), "")
	}
	return err
}

// ExampleAddress returns the address that loads an example, for the same gateway.
func (p *shown) ExampleAddress(name string) string {
	query := url.Values{"example": {name}}
	if p.Book.Number > 1 {
		query.Set("gateway", strconv.Itoa(p.Book.Number))
	}
	return p.Base + "/try?" + query.Encode()
}
