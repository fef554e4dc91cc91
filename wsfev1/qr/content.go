package qr

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/fielato/fielato/wsfev1"
)

// Page is the page of the tax authority that the QR code of an invoice leads to
// (docs/sources.md#qr).
const Page = "https://www.arca.gob.ar/fe/qr/"

// ErrContent is wrapped by the errors of Content.Address.
var ErrContent = errors.New("no QR code can be composed")

// Content is the data in the QR code of an authorised invoice (RG 4892/2020, docs/sources.md#qr).
// Of reads it from an exchange.
//
// A range of vouchers, CbteDesde below CbteHasta, has no QR code of its own: each of its
// vouchers is printed by itself, and the service is told neither the total nor the receiver of
// one. A program that knows them sets both numbers to the voucher's number, and ImpTotal to its
// total.
type Content struct {
	Cuit     wsfev1.CUIT
	PtoVta   int32
	CbteTipo int32
	wsfev1.InvoiceRange
	CbteFch  wsfev1.Date
	ImpTotal wsfev1.Amount
	MonId    string
	// MonCotiz is not used for pesos: their rate is 1.
	MonCotiz wsfev1.Amount
	DocTipo  int32
	DocNro   int64
	// Advance: Authorisation is a CAEA, not a CAE.
	Advance       bool
	Authorisation string
}

// Address returns the text of the QR code: the address of Page with the members as JSON in
// base64. Amounts have the digits that they were given, without zeros that end their decimals.
// An error names the first member that is missing, or has a form that the code does not allow.
//
// The alphabet of base64 has + and /, which an address would have to escape. Neither comes up:
// they stand only for bits that no digit, letter or sign of this JSON has.
func (c Content) Address() (string, error) {
	for _, member := range []struct {
		name  string
		fits  bool
		shape string
	}{
		{"CbteHasta", c.CbteDesde == c.CbteHasta, "a range of vouchers has no code of its own"},
		{"CbteFch", c.CbteFch.Valid(), "a day, yyyymmdd"},
		{"Cuit", c.Cuit.Valid(), "a CUIT"},
		{"PtoVta", c.PtoVta > 0 && c.PtoVta <= 99999, "up to 5 digits"},
		{"CbteTipo", c.CbteTipo > 0 && c.CbteTipo <= 999, "up to 3 digits"},
		{"CbteDesde", c.CbteDesde > 0 && c.CbteDesde <= 99999999, "up to 8 digits"},
		{"ImpTotal", c.ImpTotal.Sent() && within(c.ImpTotal, 13, 2), "up to 13 digits and 2 decimals"},
		{"MonId", isCurrencyCode(c.MonId), "3 letters or digits"},
		{"MonCotiz", c.rate().Sign() > 0 && within(c.rate(), 13, 6), "above 0, up to 13 digits and 6 decimals"},
		{"DocTipo", c.DocTipo >= 0 && c.DocTipo <= 99, "up to 2 digits"},
		{"DocNro", c.DocNro >= 0, "not negative"},
		{"Authorisation", isAuthorisation(c.Authorisation), "14 digits, the first of them not 0"},
	} {
		if !member.fits {
			return "", fmt.Errorf("%w: %s: %s", ErrContent, member.name, member.shape)
		}
	}
	return Page + "?p=" + base64.StdEncoding.EncodeToString(c.json()), nil
}

// json returns the members in the order of the specification. Address has checked them.
func (c Content) json() []byte {
	b := fmt.Appendf(nil, `{"ver":1,"fecha":"%s-%s-%s","cuit":%d,"ptoVta":%d,"tipoCmp":%d,"nroCmp":%d,"importe":%s,"moneda":"%s","ctz":%s`,
		c.CbteFch[:4], c.CbteFch[4:6], c.CbteFch[6:], c.Cuit, c.PtoVta, c.CbteTipo, c.CbteDesde, c.ImpTotal.Trim(), c.MonId, c.rate().Trim())
	if c.DocTipo != 0 {
		b = fmt.Appendf(b, `,"tipoDocRec":%d,"nroDocRec":%d`, c.DocTipo, c.DocNro)
	}
	kind := "E"
	if c.Advance {
		kind = "A"
	}
	return fmt.Appendf(b, `,"tipoCodAut":"%s","codAut":%s}`, kind, c.Authorisation)
}

// rate is the rate of the currency in pesos.
func (c Content) rate() wsfev1.Amount {
	if c.MonId == pesos {
		return wsfev1.AmountOf(1, 0)
	}
	return c.MonCotiz
}

// pesos is the code of Argentina's currency.
const pesos = "PES"

// within reports whether an amount is exact, not negative, and has at most so many digits
// before and after its decimal point.
func within(a wsfev1.Amount, digits, decimals int) bool {
	whole, fraction, _ := strings.Cut(a.Trim().String(), ".")
	return a.Exact() && a.Sign() >= 0 && len(whole) <= digits && len(fraction) <= decimals
}

func isCurrencyCode(text string) bool {
	return len(text) == 3 && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}

func isAuthorisation(code string) bool {
	return len(code) == 14 && code[0] != '0' && strings.Trim(code, "0123456789") == ""
}
