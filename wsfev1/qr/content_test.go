package qr_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/qr"
)

// published is the invoice of the example in the tax authority's specification.
func published() qr.Content {
	return qr.Content{
		Cuit: 30000000007, PtoVta: 10, CbteTipo: 1, InvoiceRange: wsfev1.InvoiceRange{CbteDesde: 94, CbteHasta: 94}, CbteFch: "20201013",
		ImpTotal: wsfev1.MustAmount("12100.00"), MonId: "DOL", MonCotiz: wsfev1.MustAmount("65"),
		DocTipo: 80, DocNro: 20000000001, Authorisation: "70417054367476",
	}
}

// payload returns the data in the address of a QR code.
func payload(t interface{ Fatal(...any) }, q qr.Content) string {
	address, err := q.Address()
	if err != nil {
		t.Fatal(err)
	}
	encoded, found := strings.CutPrefix(address, "https://www.arca.gob.ar/fe/qr/?p=")
	if !found || strings.ContainsAny(encoded, "+/") {
		t.Fatal(address)
	}
	text, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestQRIsThatOfThePublishedExample, to the last byte of what it encodes.
func TestQRIsThatOfThePublishedExample(t *testing.T) {
	const want = "eyJ2ZXIiOjEsImZlY2hhIjoiMjAyMC0xMC0xMyIsImN1aXQiOjMwMDAwMDAwMDA3LCJwdG9WdGEiOjEwLCJ0aXBvQ21wIjoxLCJucm9DbXAiOjk0LCJpbXBvcnRlIjoxMjEwMCwibW9uZWRhIjoiRE9MIiwiY3R6Ijo2NSwidGlwb0RvY1JlYyI6ODAsIm5yb0RvY1JlYyI6MjAwMDAwMDAwMDEsInRpcG9Db2RBdXQiOiJFIiwiY29kQXV0Ijo3MDQxNzA1NDM2NzQ3Nn0="
	address, err := published().Address()
	if err != nil || address != qr.Page+"?p="+want {
		t.Errorf("%v\n got %s\nwant %s", err, address, want)
	}
}

// TestQRKeepsTheDigitsOfAmounts: no figure passes through a float.
func TestQRKeepsTheDigitsOfAmounts(t *testing.T) {
	for sent, want := range map[string]string{
		"9999999999999.99": "9999999999999.99", "0.10": "0.1", "1e2": "100", "1774706.10": "1774706.1", "0": "0", "70.30": "70.3",
	} {
		q := published()
		q.ImpTotal = wsfev1.MustAmount(sent)
		if text := payload(t, q); !strings.Contains(text, `"importe":`+want+`,`) {
			t.Errorf("%s: %s", sent, text)
		}
	}
	q := published()
	q.MonCotiz = wsfev1.MustAmount("1415.500001")
	if text := payload(t, q); !strings.Contains(text, `"ctz":1415.500001,`) {
		t.Error(text)
	}
	q.MonId, q.MonCotiz = "PES", wsfev1.Amount{}
	if text := payload(t, q); !strings.Contains(text, `"moneda":"PES","ctz":1,`) {
		t.Error(text)
	}
}

// TestQROfACAEAAndWithoutAReceiver.
func TestQROfACAEAAndWithoutAReceiver(t *testing.T) {
	q := published()
	q.Advance, q.DocTipo, q.DocNro = true, 0, 0
	const want = `{"ver":1,"fecha":"2020-10-13","cuit":30000000007,"ptoVta":10,"tipoCmp":1,"nroCmp":94,"importe":12100,"moneda":"DOL","ctz":65,"tipoCodAut":"A","codAut":70417054367476}`
	if text := payload(t, q); text != want {
		t.Errorf("\n got %s\nwant %s", text, want)
	}
}

// TestQROfWhatDoesNotFitIsNone, and the error names the member.
func TestQROfWhatDoesNotFitIsNone(t *testing.T) {
	for name, change := range map[string]func(*qr.Content){
		"CbteHasta": func(q *qr.Content) { q.CbteHasta = 95 },
		"CbteFch":   func(q *qr.Content) { q.CbteFch = "20201332" },
		"Cuit":      func(q *qr.Content) { q.Cuit = 30000000008 },
		"PtoVta":    func(q *qr.Content) { q.PtoVta = 100000 },
		"CbteTipo":  func(q *qr.Content) { q.CbteTipo = 0 },
		"CbteDesde": func(q *qr.Content) { q.CbteDesde, q.CbteHasta = 0, 0 },
		"ImpTotal: up to 13 digits and 2 decimals": func(q *qr.Content) { q.ImpTotal = wsfev1.MustAmount("1.001") },
		"ImpTotal":          func(q *qr.Content) { q.ImpTotal = wsfev1.Amount{} },
		"MonId":             func(q *qr.Content) { q.MonId = `P"}` },
		"MonCotiz":          func(q *qr.Content) { q.MonCotiz = wsfev1.Amount{} },
		"DocTipo":           func(q *qr.Content) { q.DocTipo = 100 },
		"DocNro":            func(q *qr.Content) { q.DocNro = -1 },
		"Authorisation":     func(q *qr.Content) { q.Authorisation = "0041705436747" },
		"Authorisation: 14": func(q *qr.Content) { q.Authorisation = "00417054367476" },
	} {
		q := published()
		change(&q)
		if address, err := q.Address(); !errors.Is(err, qr.ErrContent) || !strings.Contains(err.Error(), name) || address != "" {
			t.Errorf("%s: %q %v", name, address, err)
		}
	}
}

// TestQROfAnyInvoiceIsJSONWithoutEscapes.
func TestQROfAnyInvoiceIsJSONWithoutEscapes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Int64Range(1, 99999999).Draw(t, "number")
		q := published()
		q.PtoVta = rapid.Int32Range(1, 99999).Draw(t, "point")
		q.InvoiceRange = wsfev1.InvoiceRange{CbteDesde: number, CbteHasta: number}
		q.ImpTotal = wsfev1.AmountOf(rapid.Int64Range(0, 999999999999999).Draw(t, "total"), 2)
		q.DocNro = rapid.Int64Min(0).Draw(t, "document")
		q.MonId = rapid.StringMatching(`[A-Z0-9]{3}`).Draw(t, "currency")
		var read struct {
			NroCmp  int64         `json:"nroCmp"`
			Importe wsfev1.Amount `json:"importe"`
			Moneda  string        `json:"moneda"`
		}
		if err := json.Unmarshal([]byte(payload(t, q)), &read); err != nil {
			t.Fatal(err)
		}
		if read.NroCmp != number || read.Importe.Cmp(q.ImpTotal) != 0 || read.Moneda != q.MonId {
			t.Fatalf("%+v of %+v", read, q)
		}
	})
}

// lotOfThree approves an invoice, one for which the service has set the date, and a range.
func lotOfThree() (*wsfev1.FECAESolicitarRequest, *wsfev1.FECAESolicitarAnswer) {
	request, answer := new(wsfev1.FECAESolicitarRequest), &wsfev1.FECAESolicitarAnswer{
		FeCabResp: &wsfev1.FeCabResp{Cuit: 30000000007, PtoVta: 10, CbteTipo: 6}, FeDetResp: new(wsfev1.FeCAEDetResp),
	}
	request.Auth.Cuit = 30000000007
	request.FeCAEReq.FeCabReq = wsfev1.FeCabReq{CantReg: 4, PtoVta: 10, CbteTipo: 6}
	for i, sent := range []wsfev1.FECAEDetRequest{
		{CbteDesde: 94, CbteHasta: 94, CbteFch: "20201013", DocTipo: 96, DocNro: 12345678},
		{CbteDesde: 95, CbteHasta: 95, DocTipo: 99},
		{CbteDesde: 96, CbteHasta: 99, CbteFch: "20201014", DocTipo: 99},
		{CbteDesde: 100, CbteHasta: 100, CbteFch: "20201014", DocTipo: 99},
	} {
		sent.ImpTotal, sent.MonId = wsfev1.AmountOf(100+int64(i), 2), "PES"
		request.FeCAEReq.FeDetReq.FECAEDetRequest = append(request.FeCAEReq.FeDetReq.FECAEDetRequest, sent)
		detail := wsfev1.FECAEDetResponse{DetResponse: wsfev1.AnswerTo(&sent, wsfev1.Aprobado), CAE: "7041705436747" + string(rune('0'+i))}
		detail.CbteFch = "20201014"
		if i == 3 {
			detail.Resultado, detail.CAE = wsfev1.Rechazado, ""
		}
		answer.FeDetResp.FECAEDetResponse = append(answer.FeDetResp.FECAEDetResponse, detail)
	}
	return request, answer
}

// TestEachApprovedInvoiceOfALotHasAQR of its own; the range has none, and neither has what was
// rejected.
func TestEachApprovedInvoiceOfALotHasAQR(t *testing.T) {
	request, answer := lotOfThree()
	all := qr.Of(request, answer)
	if len(all) != 3 {
		t.Fatalf("%+v", all)
	}
	for i, want := range []string{
		`"fecha":"2020-10-14","cuit":30000000007,"ptoVta":10,"tipoCmp":6,"nroCmp":94,"importe":1,"moneda":"PES","ctz":1,"tipoDocRec":96,"nroDocRec":12345678,"tipoCodAut":"E","codAut":70417054367470`,
		`"fecha":"2020-10-14","cuit":30000000007,"ptoVta":10,"tipoCmp":6,"nroCmp":95,"importe":1.01,"moneda":"PES","ctz":1,"tipoDocRec":99,"nroDocRec":0,"tipoCodAut":"E","codAut":70417054367471`,
	} {
		if text := payload(t, all[i]); !strings.Contains(text, want) {
			t.Errorf("\n got %s\nwant %s", text, want)
		}
	}
	if _, err := all[2].Address(); !errors.Is(err, qr.ErrContent) {
		t.Error(err)
	}
	one := all[2] // as a program that knows its vouchers composes them
	one.CbteDesde, one.CbteHasta, one.ImpTotal = 97, 97, wsfev1.MustAmount("0.50")
	if text := payload(t, one); !strings.Contains(text, `"nroCmp":97,"importe":0.5,`) {
		t.Error(text)
	}
}

// TestQRsOfAnotherSeriesOrAnUnclearInvoice are none.
func TestQRsOfAnotherSeriesOrAnUnclearInvoice(t *testing.T) {
	request, answer := lotOfThree()
	for _, change := range []func(*wsfev1.FeCabResp){
		func(h *wsfev1.FeCabResp) { h.Cuit = 20111111112 }, func(h *wsfev1.FeCabResp) { h.PtoVta = 11 }, func(h *wsfev1.FeCabResp) { h.CbteTipo = 1 },
	} {
		head := *answer.FeCabResp
		change(&head)
		if all := qr.Of(request, &wsfev1.FECAESolicitarAnswer{FeCabResp: &head, FeDetResp: answer.FeDetResp}); all != nil {
			t.Errorf("%+v", all)
		}
	}
	request.FeCAEReq.FeDetReq.FECAEDetRequest[1] = request.FeCAEReq.FeDetReq.FECAEDetRequest[0]
	for i, q := range qr.Of(request, answer)[:2] {
		if address, err := q.Address(); err == nil {
			t.Errorf("invoice %d: %s", i, address)
		}
	}
}

// TestQROfAQueryAndOfAReport: the issuer of a query stands in its request, and what was reported
// has a CAEA.
func TestQROfAQueryAndOfAReport(t *testing.T) {
	asked := &wsfev1.FECompConsultarRequest{Auth: wsfev1.Auth{Cuit: 30000000007}, FeCompConsReq: wsfev1.FeCompConsReq{PtoVta: 10, CbteTipo: 1, CbteNro: 94}}
	kept := &wsfev1.FECompConsResult{
		FECAEDetRequest: wsfev1.FECAEDetRequest{
			CbteDesde: 94, CbteHasta: 94, CbteFch: "20201013", DocTipo: 80, DocNro: 20000000001,
			ImpTotal: wsfev1.MustAmount("12100"), MonId: "DOL", MonCotiz: wsfev1.MustAmount("65"),
		},
		PtoVta: 10, CbteTipo: 1, Resultado: wsfev1.Aprobado, CodAutorizacion: "70417054367476", EmisionTipo: "CAE",
	}
	all := qr.Of(asked, &wsfev1.FECompConsultarAnswer{ResultGet: kept})
	if want := payload(t, published()); len(all) != 1 || payload(t, all[0]) != want {
		t.Errorf("%+v", all)
	}
	kept.EmisionTipo = "CAEA"
	if text := payload(t, qr.Of(asked, &wsfev1.FECompConsultarAnswer{ResultGet: kept})[0]); !strings.Contains(text, `"tipoCodAut":"A"`) {
		t.Error(text)
	}
	kept.PtoVta = 11
	if all := qr.Of(asked, &wsfev1.FECompConsultarAnswer{ResultGet: kept}); all != nil {
		t.Errorf("of another point of sale: %+v", all)
	}
	report := new(wsfev1.FECAEARegInformativoRequest)
	report.Auth.Cuit = 30000000007
	report.FeCAEARegInfReq.FeCabReq = wsfev1.FeCabReq{CantReg: 1, PtoVta: 10, CbteTipo: 1}
	report.FeCAEARegInfReq.FeDetReq.FECAEADetRequest = []wsfev1.FECAEADetRequest{{FECAEDetRequest: kept.FECAEDetRequest, CAEA: "30417054367476"}}
	informed := &wsfev1.FECAEARegInformativoAnswer{FeDetResp: &wsfev1.FeCAEADetResp{FECAEADetResponse: []wsfev1.FECAEADetResponse{
		{DetResponse: wsfev1.AnswerTo(&kept.FECAEDetRequest, wsfev1.Aprobado), CAEA: "30417054367476"},
	}}}
	if text := payload(t, qr.Of(report, informed)[0]); !strings.HasSuffix(text, `"tipoCodAut":"A","codAut":30417054367476}`) {
		t.Error(text)
	}
}
