package search

import (
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/caddymodule/internal/spreadsheet"
	"github.com/fielato/fielato/caddymodule/internal/story/bodies"
	"github.com/fielato/fielato/wsfev1"
)

// detail is what a row shows of a request.
type detail struct {
	// total is the sum of a lot; hasTotal is false if an invoice has none, or they differ in currency.
	total    wsfev1.Amount
	hasTotal bool
	currency string
	// receiver is empty if the invoices of a lot differ in it.
	receiver string
}

type detailInvoice struct{ DocTipo, DocNro, ImpTotal, MonId, CbteDesde, CbteFch jsontext.Value }

// number is the first number of the invoice, 0 if it has none.
func (i *detailInvoice) number() int64 {
	n, _ := strconv.ParseInt(string(i.CbteDesde), 10, 64)
	return n
}

// date is the date of the invoice, empty if it has none that is valid.
func (i *detailInvoice) date() wsfev1.Date {
	var text string
	if i.CbteFch.Kind() == '"' {
		_ = json.Unmarshal(i.CbteFch, &text) // a text, as its kind says
	}
	if date := wsfev1.Date(text); date.Valid() {
		return date
	}
	return ""
}

// totalText returns the total as a spreadsheet reads it, empty for none.
func (d *detail) totalText() string {
	if !d.hasTotal {
		return ""
	}
	return spreadsheet.Amount(d.total.Trim())
}

// totalIn returns the total as a page shows it, empty for none. Pesos stand alone: of a column of them, the one amount in
// another currency must not be taken for one more.
func (d *detail) totalIn(frame *site.Frame) string {
	switch {
	case !d.hasTotal:
		return ""
	case d.currency == "" || d.currency == "PES":
		return frame.Amount(d.total)
	}
	return shown(d.currency) + " " + frame.Amount(d.total)
}

// detailOf returns what can be read of a record's request: a client may send anything.
func detailOf(r *audit.Record) (d detail) {
	for i, invoice := range bodies.Invoices[detailInvoice](r.Request) {
		one := invoice.read()
		if i == 0 {
			d = one
			continue
		}
		d.total = d.total.Add(one.total)
		d.hasTotal = d.hasTotal && one.hasTotal && d.currency == one.currency && d.total.Exact()
		if d.receiver != one.receiver {
			d.receiver = ""
		}
	}
	return d
}

func (i *detailInvoice) read() (d detail) {
	if total, err := wsfev1.AmountFromJSON(i.ImpTotal); err == nil && total.Sent() && total.Exact() {
		d.total, d.hasTotal = total, true
	}
	if i.MonId.Kind() == '"' {
		_ = json.Unmarshal(i.MonId, &d.currency) // a text, as its kind says
	}
	kind, errKind := strconv.ParseInt(string(i.DocTipo), 10, 32)
	number, errNumber := strconv.ParseInt(string(i.DocNro), 10, 64)
	switch {
	case errKind != nil || errNumber != nil:
	case kind == 99 && number == 0:
		d.receiver = "Consumidor final" // most rows of a shop have it
	default:
		d.receiver = spanish.Document(int32(kind), number)
	}
	return d
}
