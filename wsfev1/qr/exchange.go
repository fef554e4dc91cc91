package qr

import (
	"reflect"
	"strings"

	"github.com/fielato/fielato/wsfev1"
)

// Of reads from an exchange the contents of the QR codes of its approved invoices: one for each,
// in the order of the answer. FECAESolicitar, FECAEARegInformativo and FECompConsultar have
// approved invoices, all other operations none. An answer about another series than the
// request's has none either, and an invoice that the request does not have once lacks its data.
func Of(request, answer any) []Content {
	if isNil(request) || isNil(answer) {
		return nil
	}
	switch a := answer.(type) {
	case *wsfev1.FECAESolicitarAnswer:
		return ofLot(request, a.FeCabResp, approvedOf(a))
	case *wsfev1.FECAEARegInformativoAnswer:
		return ofLot(request, a.FeCabResp, approvedOf(a))
	case *wsfev1.FECompConsultarAnswer:
		if c, ok := ofResult(request, a.ResultGet); ok {
			return []Content{c}
		}
	}
	return nil
}

// approval is an approved invoice of an answer.
type approval struct {
	wsfev1.InvoiceRange
	date wsfev1.Date
	code string
}

// approvedOf returns the approved invoices of an answer to an issuing request.
func approvedOf(answer any) (all []approval) {
	add := func(d *wsfev1.DetResponse, code string) {
		if d.Resultado == wsfev1.Aprobado && code != "" {
			all = append(all, approval{wsfev1.InvoiceRange{CbteDesde: d.CbteDesde, CbteHasta: d.CbteHasta}, d.CbteFch, code})
		}
	}
	switch a := answer.(type) {
	case *wsfev1.FECAESolicitarAnswer:
		if a.FeDetResp != nil {
			for i := range a.FeDetResp.FECAEDetResponse {
				add(&a.FeDetResp.FECAEDetResponse[i].DetResponse, a.FeDetResp.FECAEDetResponse[i].CAE)
			}
		}
	case *wsfev1.FECAEARegInformativoAnswer:
		if a.FeDetResp != nil {
			for i := range a.FeDetResp.FECAEADetResponse {
				add(&a.FeDetResp.FECAEADetResponse[i].DetResponse, a.FeDetResp.FECAEADetResponse[i].CAEA)
			}
		}
	}
	return all
}

// ofLot joins what was sent with what was approved, by the numbers.
func ofLot(request any, head *wsfev1.FeCabResp, approved []approval) []Content {
	lot := wsfev1.LotOf(request)
	cuit := wsfev1.AuthOf(request).Cuit
	if lot == nil || head != nil && (head.Cuit != cuit || head.PtoVta != lot.Header.PtoVta || head.CbteTipo != lot.Header.CbteTipo) {
		return nil
	}
	sent := make(map[wsfev1.InvoiceRange]*wsfev1.FECAEDetRequest, lot.Len())
	for i := range lot.Len() {
		invoice := lot.Invoice(i)
		numbers := wsfev1.InvoiceRange{CbteDesde: invoice.CbteDesde, CbteHasta: invoice.CbteHasta}
		if _, twice := sent[numbers]; twice {
			invoice = nil // which of the two was approved is not known
		}
		sent[numbers] = invoice
	}
	all := make([]Content, 0, len(approved))
	for _, a := range approved {
		c := Content{InvoiceRange: a.InvoiceRange}
		if invoice := sent[a.InvoiceRange]; invoice != nil {
			c = ofInvoice(invoice)
		}
		c.Cuit, c.PtoVta, c.CbteTipo = cuit, lot.Header.PtoVta, lot.Header.CbteTipo
		c.Authorisation, c.Advance = a.code, lot.CAEAInvoice(0) != nil
		if a.date.Valid() { // the service sets a date that was not sent
			c.CbteFch = a.date
		}
		all = append(all, c)
	}
	return all
}

// ofResult reads the one invoice of a query. Its issuer stands in the request alone.
func ofResult(request any, result *wsfev1.FECompConsResult) (Content, bool) {
	asked, ok := request.(*wsfev1.FECompConsultarRequest)
	if !ok || result == nil || result.Resultado != wsfev1.Aprobado || result.CodAutorizacion == "" ||
		result.PtoVta != asked.FeCompConsReq.PtoVta || result.CbteTipo != asked.FeCompConsReq.CbteTipo {
		return Content{}, false
	}
	c := ofInvoice(&result.FECAEDetRequest)
	c.Cuit, c.PtoVta, c.CbteTipo = asked.Auth.Cuit, result.PtoVta, result.CbteTipo
	c.Authorisation, c.Advance = result.CodAutorizacion, strings.HasPrefix(result.EmisionTipo, "CAEA")
	return c, true
}

// ofInvoice takes what an invoice states about itself.
func ofInvoice(i *wsfev1.FECAEDetRequest) Content {
	return Content{
		InvoiceRange: wsfev1.InvoiceRange{CbteDesde: i.CbteDesde, CbteHasta: i.CbteHasta}, CbteFch: i.CbteFch,
		ImpTotal: i.ImpTotal, MonId: i.MonId, MonCotiz: i.MonCotiz, DocTipo: i.DocTipo, DocNro: i.DocNro,
	}
}

// isNil reports whether a value is nil, or a nil pointer to one of the types.
func isNil(value any) bool {
	v := reflect.ValueOf(value)
	return !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil()
}
