package story

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

// cell is a scalar of a body. A body may hold anything: a scalar of another type, or the
// fingerprint that stands for what was hidden.
type cell struct{ jsontext.Value }

// text returns the scalar's text; empty if it is none.
func (c cell) text() string {
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

func (c cell) number() (int64, bool) {
	n, err := strconv.ParseInt(c.text(), 10, 64)
	return n, err == nil
}

// isHidden reports whether the value was redacted.
func (c cell) isHidden() bool { return strings.HasPrefix(c.text(), "hmac-sha256:") }

// hiddenText stands for a redacted value.
const hiddenText = "oculto: la pasarela está configurada para no conservarlo"

// cells are the members of an invoice that facts are made of.
type cells struct {
	DocTipo, DocNro, CbteDesde, CbteHasta, CbteFch, ImpTotal, MonId, MonCotiz, CondicionIVAReceptorId cell
}

// covers reports whether the invoice is the one with this number.
func (i *cells) covers(number int64) bool {
	first, ok := i.CbteDesde.number()
	last, ok2 := i.CbteHasta.number()
	return ok && ok2 && first <= number && number <= last
}

// InvoicesOf returns the invoices of a request that asks for them or reports them, as far as they can be read.
// T has the members that are wanted, each of a type that takes any value.
func InvoicesOf[T any](request []byte) []T {
	var read struct {
		FeCAEReq, FeCAEARegInfReq struct {
			FeDetReq struct{ FECAEDetRequest, FECAEADetRequest []T }
		}
	}
	if !readLoosely(request, &read) {
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
	all := InvoicesOf[cells](body)
	if readLoosely(body, &answer) {
		all = append(slices.Concat(all, answer.FeDetResp.FECAEDetResponse, answer.FeDetResp.FECAEADetResponse), answer.ResultGet)
	}
	if i := slices.IndexFunc(all, func(one cells) bool { return one.covers(number) }); i >= 0 {
		return &all[i]
	}
	return nil
}

// readLoosely reads what it can of a body. It returns false if there is none, or none of the
// wanted shape.
func readLoosely(body []byte, into any) bool {
	return len(body) > 0 && json.Unmarshal(body, into, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) == nil
}

// Fact is a line about the invoice, such as its total.
type Fact struct{ Name, Value string }

// dataOf words the invoice's own data. The service sets a date that was not sent.
func dataOf(sent, answered *cells) (all []Fact) {
	i := cmp.Or(sent, answered)
	if i == nil {
		return nil
	}
	if answered != nil && i.CbteFch.text() == "" {
		i.CbteFch = answered.CbteFch
	}
	add := func(name string, c cell, value string) {
		if c.isHidden() {
			value = hiddenText
		}
		if value != "" {
			all = append(all, Fact{name, value})
		}
	}
	add("Fecha del comprobante", i.CbteFch, spanish.Day(wsfev1.Date(i.CbteFch.text())))
	add("Receptor", i.receiverCell(), i.receiver())
	add("Condición frente al IVA del receptor", i.CondicionIVAReceptorId, i.condition())
	add("Total", i.ImpTotal, i.total())
	return all
}

// receiverCell returns the member that hides the receiver, if one does.
func (i *cells) receiverCell() cell {
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
	total, err := wsfev1.ParseAmount(i.ImpTotal.text())
	if err != nil {
		return ""
	}
	currency := i.MonId.text()
	text := spanish.Money(total, currency)
	if rate, err := wsfev1.ParseAmount(i.MonCotiz.text()); err == nil && currency != "PES" && rate.Sign() > 0 {
		text += ", cotización $ " + spanish.Amount(rate)
	}
	return text
}
