// Package bodies reads invoices out of the bodies of requests and answers, as records keep them. A body may hold
// anything: a member of another type, or the fingerprint that stands for what was hidden.
package bodies

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/wsfev1"
)

// Cell is a scalar of a body. A body may hold anything: a scalar of another type, or the
// fingerprint that stands for what was hidden.
type Cell struct{ jsontext.Value }

// Text returns the scalar's text; empty if it is none.
func (c Cell) Text() string {
	switch c.Kind() {
	case '0':
		return string(c.Value)
	case '"':
		if text, err := jsontext.AppendUnquote(nil, c.Value); err == nil {
			return string(text)
		}
	}
	return ""
}

func (c Cell) number() (int64, bool) {
	n, err := strconv.ParseInt(c.Text(), 10, 64)
	return n, err == nil
}

// isHidden reports whether the value was redacted.
func (c Cell) isHidden() bool { return strings.HasPrefix(c.Text(), "hmac-sha256:") }

// hiddenText stands for a redacted value.
const hiddenText = "oculto: la pasarela está configurada para no conservarlo"

// cells are the members of an invoice that facts are made of.
type cells struct {
	Range
	DocTipo, DocNro, CbteFch, ImpTotal, MonId, MonCotiz, CondicionIVAReceptorId Cell
}

// Range are the members that number an invoice.
type Range struct{ CbteDesde, CbteHasta Cell }

// Covers reports whether the invoice is the one with this number.
func (r *Range) Covers(number int64) bool {
	first, ok := r.CbteDesde.number()
	last, ok2 := r.CbteHasta.number()
	return ok && ok2 && first <= number && number <= last
}

// Invoices returns the invoices of a request that asks for them or reports them, as far as they can be read.
// T has the members that are wanted, each of a type that takes any value.
func Invoices[T any](request []byte) []T {
	var read struct {
		FeCAEReq, FeCAEARegInfReq struct {
			FeDetReq struct{ FECAEDetRequest, FECAEADetRequest []T }
		}
	}
	if !Read(request, &read) {
		return nil
	}
	return slices.Concat(read.FeCAEReq.FeDetReq.FECAEDetRequest, read.FeCAEARegInfReq.FeDetReq.FECAEADetRequest)
}

// cellsOf finds the invoice in a request or an answer; nil if the body has none.
func cellsOf(body []byte, number int64) *cells {
	var answer struct {
		FeDetResp struct{ FECAEDetResponse, FECAEADetResponse []cells }
		ResultGet cells
	}
	all := Invoices[cells](body)
	if Read(body, &answer) {
		all = append(slices.Concat(all, answer.FeDetResp.FECAEDetResponse, answer.FeDetResp.FECAEADetResponse), answer.ResultGet)
	}
	if i := slices.IndexFunc(all, func(one cells) bool { return one.Covers(number) }); i >= 0 {
		return &all[i]
	}
	return nil
}

// Read reads what it can of a body. It returns false if there is none, or none of the
// wanted shape.
func Read(body []byte, into any) bool {
	return len(body) > 0 && json.Unmarshal(body, into, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) == nil
}

// Fact is a line about the invoice, such as its total.
type Fact struct{ Name, Value string }

// Data is the invoice's own data in words. A text is empty where the bodies do not have it.
type Data struct{ Date, Receiver, Condition, Total string }

// DataOf words the data of the invoice with this number. The service sets a date that was not sent.
func DataOf(request, answer []byte, number int64) Data {
	sent, answered := cellsOf(request, number), cellsOf(answer, number)
	of := cmp.Or(sent, answered)
	if of == nil {
		return Data{}
	}
	if answered != nil && of.CbteFch.Text() == "" {
		of.CbteFch = answered.CbteFch
	}
	shown := func(c Cell, value string) string {
		if c.isHidden() {
			return hiddenText
		}
		return value
	}
	return Data{
		Date: shown(of.CbteFch, spanish.Day(wsfev1.Date(of.CbteFch.Text()))), Receiver: shown(of.receiverCell(), of.receiver()),
		Condition: shown(of.CondicionIVAReceptorId, of.condition()), Total: shown(of.ImpTotal, of.total()),
	}
}

// Facts has a line for each of the data.
func (d *Data) Facts() (all []Fact) {
	for _, one := range []Fact{{"Fecha del comprobante", d.Date}, {"Receptor", d.Receiver}, {"Condición frente al IVA del receptor", d.Condition}, {"Total", d.Total}} {
		if one.Value != "" {
			all = append(all, one)
		}
	}
	return all
}

// receiverCell returns the member that hides the receiver, if one does.
func (i *cells) receiverCell() Cell {
	if i.DocTipo.isHidden() {
		return i.DocTipo
	}
	return i.DocNro
}

func (i *cells) receiver() string {
	docTipo, ok := i.DocTipo.number()
	docNro, ok2 := i.DocNro.number()
	if !ok || !ok2 || docTipo != int64(int32(docTipo)) {
		return ""
	}
	return spanish.Document(int32(docTipo), docNro)
}

func (i *cells) condition() string {
	id, ok := i.CondicionIVAReceptorId.number()
	if !ok || id != int64(int32(id)) {
		return ""
	}
	return spanish.Condition(int32(id))
}

func (i *cells) total() string {
	total, err := wsfev1.ParseAmount(i.ImpTotal.Text())
	if err != nil {
		return ""
	}
	currency := i.MonId.Text()
	text := spanish.Money(total, currency)
	if rate, err := wsfev1.ParseAmount(i.MonCotiz.Text()); err == nil && currency != "PES" && rate.Sign() > 0 {
		text += ", cotización $ " + spanish.Amount(rate)
	}
	return text
}

// Date returns the CbteFch of the invoice with this number in a request or an answer; empty for none.
func Date(body []byte, number int64) string {
	if i := cellsOf(body, number); i != nil {
		return i.CbteFch.Text()
	}
	return ""
}
