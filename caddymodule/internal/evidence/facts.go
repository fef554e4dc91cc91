package evidence

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/command/view"
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

// invoiceCells are the members of an invoice that the page words.
type invoiceCells struct {
	DocTipo, DocNro, CbteDesde, CbteHasta, CbteFch, ImpTotal, MonId, MonCotiz, CondicionIVAReceptorId cell
}

// covers reports whether the invoice is the one with this number.
func (i *invoiceCells) covers(number int64) bool {
	first, ok := i.CbteDesde.number()
	last, ok2 := i.CbteHasta.number()
	return ok && ok2 && first <= number && number <= last
}

// invoiceOf finds the invoice in a request or an answer; nil if the body has none.
func invoiceOf(body []byte, number int64) *invoiceCells {
	type details struct{ FECAEDetRequest, FECAEADetRequest, FECAEDetResponse, FECAEADetResponse []invoiceCells }
	var read struct {
		FeCAEReq, FeCAEARegInfReq struct{ FeDetReq details }
		FeDetResp                 details
		ResultGet                 invoiceCells
	}
	if !readLoosely(body, &read) {
		return nil
	}
	for _, list := range [][]invoiceCells{
		read.FeCAEReq.FeDetReq.FECAEDetRequest, read.FeCAEARegInfReq.FeDetReq.FECAEADetRequest,
		read.FeDetResp.FECAEDetResponse, read.FeDetResp.FECAEADetResponse,
		{read.ResultGet},
	} {
		for i := range list {
			if list[i].covers(number) {
				return &list[i]
			}
		}
	}
	return nil
}

// readLoosely reads what it can of a body. It returns false if there is none, or none of the
// wanted shape.
func readLoosely(body []byte, into any) bool {
	return len(body) > 0 && json.Unmarshal(body, into, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) == nil
}

// fact is a line about the invoice, such as its total.
type fact struct{ Name, Value string }

// factsOf words the invoice's own data. The service sets a date that was not sent.
func factsOf(sent, answered *invoiceCells) (all []fact) {
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
			all = append(all, fact{name, value})
		}
	}
	add("Fecha del comprobante", i.CbteFch, spanish.Day(wsfev1.Date(i.CbteFch.text())))
	add("Receptor", i.receiverCell(), i.receiver())
	add("Condición frente al IVA del receptor", i.CondicionIVAReceptorId, i.condition())
	add("Total", i.ImpTotal, i.total())
	return all
}

// receiverCell returns the member that hides the receiver, if one does.
func (i *invoiceCells) receiverCell() cell {
	if i.DocTipo.isHidden() {
		return i.DocTipo
	}
	return i.DocNro
}

func (i *invoiceCells) receiver() string {
	docTipo, ok := i.DocTipo.number()
	docNro, ok2 := i.DocNro.number()
	if !ok || !ok2 || docTipo != int64(int32(docTipo)) {
		return ""
	}
	return spanish.Document(int32(docTipo), docNro)
}

func (i *invoiceCells) condition() string {
	id, ok := i.CondicionIVAReceptorId.number()
	if !ok || id != int64(int32(id)) {
		return ""
	}
	return spanish.Condition(int32(id))
}

func (i *invoiceCells) total() string {
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

// reason is why something was rejected or observed.
type reason struct{ Code, Text, Place string }

// String quotes the reason, without the code and the full stop that its text may have. What
// cannot be printed is escaped: it could turn the rest of the sentence around.
func (r reason) String() string {
	text := strings.TrimSuffix(strings.TrimPrefix(r.Text, r.Code+": "), ".")
	place := ""
	if r.Place != "" {
		place = ", campo " + r.Place
	}
	return view.OneLine("«" + text + "» (código " + r.Code + place + ")")
}

// reasonsOf returns what was said about the invoice: by the gateway's findings if it refused,
// else by the answer. Where nothing was said about this one, elsewhere reports that the reasons
// are about other invoices of its lot.
func reasonsOf(r *audit.Record, s *summary, findings []pageFinding, number int64) (own []reason, elsewhere bool) {
	var others []reason
	for i, f := range findings {
		if f.Refuses {
			one := reason{f.Code, f.Text, lastName(f.Pointer)}
			if position, ok := positionOf(r.Findings[i].Pointer); ok && s.lot > 1 && position != s.position {
				others = append(others, one)
			} else {
				own = append(own, one)
			}
		}
	}
	if len(own)+len(others) == 0 {
		own, others = saidOf(r.Answer, number)
	}
	if len(own) == 0 {
		return others, len(others) > 0
	}
	return own, false
}

// positionOf returns the place in the lot that a pointer goes to, if it goes to an invoice.
func positionOf(pointer string) (int, bool) {
	_, rest, found := strings.Cut(pointer, "DetRequest/")
	if !found {
		return 0, false
	}
	index, _, _ := strings.Cut(rest, "/")
	n, err := strconv.Atoi(index)
	return n, err == nil
}

// lastName returns the last name in a JSON Pointer; indexes are none.
func lastName(pointer string) string {
	names := strings.Split(pointer, "/")
	for i := len(names) - 1; i > 0; i-- {
		if _, err := strconv.Atoi(names[i]); err != nil {
			return names[i]
		}
	}
	return ""
}

// saidOf returns the messages of an answer about the invoice with this number and about the
// whole request, and those about other invoices.
func saidOf(answer []byte, number int64) (own, others []reason) {
	type detail struct {
		CbteDesde, CbteHasta cell
		Observaciones        struct{ Obs []struct{ Code, Msg cell } }
	}
	var read struct {
		FeDetResp struct{ FECAEDetResponse, FECAEADetResponse []detail }
		Errors    struct{ Err []struct{ Code, Msg cell } }
	}
	if !readLoosely(answer, &read) {
		return nil, nil
	}
	for _, d := range append(read.FeDetResp.FECAEDetResponse, read.FeDetResp.FECAEADetResponse...) {
		of := invoiceCells{CbteDesde: d.CbteDesde, CbteHasta: d.CbteHasta}
		for _, one := range d.Observaciones.Obs {
			if said := (reason{one.Code.text(), one.Msg.text(), ""}); of.covers(number) {
				own = append(own, said)
			} else {
				others = append(others, said)
			}
		}
	}
	for _, one := range read.Errors.Err {
		own = append(own, reason{one.Code.text(), one.Msg.text(), ""})
	}
	return own, others
}
