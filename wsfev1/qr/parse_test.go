package qr_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/fielato/fielato/wsfev1/qr"
)

func addressOf(json string) string {
	return qr.Page + "?p=" + base64.StdEncoding.EncodeToString([]byte(json))
}

// specified is the example of the specification.
const specified = `{"ver":1,"fecha":"2020-10-13","cuit":30000000007,"ptoVta":10,"tipoCmp":1,"nroCmp":94,"importe":12100,"moneda":"DOL","ctz":65,"tipoDocRec":80,"nroDocRec":20000000001,"tipoCodAut":"E","codAut":70417054367476}`

// TestTheAddressOfAQRCodeNamesItsInvoice, in all forms that the authority's page takes.
func TestTheAddressOfAQRCodeNamesItsInvoice(t *testing.T) {
	want := qr.Invoice{Cuit: 30000000007, PtoVta: 10, CbteTipo: 1, Number: 94}
	whole := addressOf(specified)
	for _, address := range []string{
		whole, strings.Replace(whole, "www.arca", "www.afip", 1), strings.Replace(whole, "www.arca", "arca", 1), strings.Replace(whole, "https", "http", 1),
		strings.Replace(whole, "/qr/?", "/qr?", 1), strings.TrimRight(whole, "="), whole + "&x=1", qr.Page + "?p=" + base64.URLEncoding.EncodeToString([]byte(specified)),
	} {
		if got, err := qr.Parse(address); got != want || err != nil {
			t.Errorf("%s: %+v, %v", address, got, err)
		}
	}
}

// TestHostileAddresses name no invoice.
func TestHostileAddresses(t *testing.T) {
	whole := addressOf(specified)
	for _, address := range []string{
		"", "https://", qr.Page, qr.Page + "?p=", qr.Page + "?p=%%%", qr.Page + "?p=!!!!", whole + "&p=e30=", strings.Replace(whole, "arca.gob.ar", "arca.gob.ar.example", 1),
		strings.Replace(whole, "https://", "https://user@", 1), strings.Replace(whole, "https", "javascript", 1), strings.Replace(whole, "/fe/qr/", "/fe/qr/x/", 1),
		addressOf(`{}`), addressOf(`[]`), addressOf(`null`), addressOf(`{"cuit":1`), addressOf(specified + specified), addressOf(specified + " x"),
		addressOf(strings.Replace(specified, `"ver":1`, `"cuit":20111111112`, 1)), // twice
		addressOf(strings.Replace(specified, "30000000007", `"30000000007"`, 1)), addressOf(strings.Replace(specified, `"nroCmp":94`, `"nroCmp":94.5`, 1)),
		addressOf(strings.Replace(specified, `"nroCmp":94`, `"nroCmp":-94`, 1)), addressOf(strings.Replace(specified, `"nroCmp":94`, `"nroCmp":1e99`, 1)),
		addressOf(strings.Replace(specified, `"ptoVta":10`, `"ptoVta":99999999999`, 1)), addressOf(strings.Replace(specified, `"ptoVta":10`, `"ptoVta":100000`, 1)),
		addressOf("{\"cuit\":30000000007,\"x\":\"\xff\"}"), addressOf(strings.Repeat("[", 700)), qr.Page + "?p=" + strings.Repeat("A", 5000),
	} {
		if got, err := qr.Parse(address); !errors.Is(err, qr.ErrAddress) || got != (qr.Invoice{}) {
			t.Errorf("%s: %+v, %v", address, got, err)
		}
	}
}

// FuzzParse: each address is refused, or names an invoice.
func FuzzParse(f *testing.F) {
	f.Add(addressOf(specified))
	f.Add(qr.Page + "?p=e30")
	f.Fuzz(func(t *testing.T, address string) {
		got, err := qr.Parse(address)
		if err == nil && (!got.Cuit.Possible() || got.PtoVta < 1 || got.CbteTipo < 1 || got.Number < 1 || got.Number > 99999999) || err != nil && got != (qr.Invoice{}) {
			t.Errorf("%s: %+v, %v", address, got, err)
		}
	})
}
