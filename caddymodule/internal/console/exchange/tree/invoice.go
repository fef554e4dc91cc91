package tree

import (
	"cmp"
	"strconv"

	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/wsfev1"
)

// Invoice is an invoice as a person reads it. A text is empty where the invoice has no such figure.
type Invoice struct {
	Number, Date, Concept, Receiver, Condition string
	// Service is the time of a service, and Due when it is to be paid.
	Service, Due string
	Lines        []Line
	Total, Rate  string
	// TotalSum is the sum of the parts, where it differs from the total.
	TotalSum string
	// Findings counts what was found in it, and Position is its place in the lot, from 0.
	Findings, Position int

	// Verdict is the answer about the invoice, Class how to look at it, and Code the CAE or CAEA.
	Verdict, Class, Code string
	// Page is the address of the invoice's own page, empty where the record does not name it.
	Page string
	// Words returns the words for a key.
	Words func(key string) string
}

// T returns the words for a key.
func (i *Invoice) T(key string) string { return i.Words(key) }

// Place is the place of the invoice in its lot, from 1.
func (i *Invoice) Place() int { return i.Position + 1 }

// Mark is the class of a sum that differs. The service lets small differences pass: on an invoice that it
// approved they are no error.
func (i *Invoice) Mark() string {
	if i.Class == "good" {
		return "open"
	}
	return "bad"
}

// lots are where an operation has its invoices.
var lots = [][]string{
	{"FeCAEReq", "FeDetReq", "FECAEDetRequest"}, {"FeCAEARegInfReq", "FeDetReq", "FECAEADetRequest"},
}

// Lot returns the list of the invoices of a request, nil if it has none.
func Lot(root *Node) *Node {
	for _, path := range lots {
		if list := root.Member(path...); list != nil && list.Group {
			return list
		}
	}
	return nil
}

// Invoices returns the invoices of a request that the tree shows, or the one of the answer to a query.
func Invoices(root *Node) (all []*Invoice) {
	if one := root.Member("ResultGet"); one != nil && one.Member("ImpTotal") != nil {
		return []*Invoice{one.invoice(one.Member("CbteTipo"))}
	}
	if lot := Lot(root); lot != nil {
		cbteTipo := cmp.Or(root.Member("FeCAEReq", "FeCabReq", "CbteTipo"), root.Member("FeCAEARegInfReq", "FeCabReq", "CbteTipo"))
		for _, item := range lot.Children {
			if item.State == "" && item.Group {
				one := item.invoice(cbteTipo)
				if place, err := strconv.Atoi(item.Name); err == nil {
					one.Position = place - 1
				}
				all = append(all, one)
			}
		}
	}
	return all
}

// AnsweredDate returns the date of the one invoice of an answer; empty for several.
func AnsweredDate(root *Node) string {
	for _, name := range []string{"FECAEDetResponse", "FECAEADetResponse"} {
		if list := root.Member("FeDetResp", name); list != nil && list.Count == 1 && len(list.Children) == 1 {
			return list.Children[0].Member("CbteFch").word()
		}
	}
	return ""
}

// net is the key of the words for ImpNeto: class C has no IVA, and there it is the subtotal.
func net(cbteTipo *Node) string {
	if id, err := strconv.ParseInt(cbteTipo.value(), 10, 32); err == nil && wsfev1.ClassOf(int32(id)) == wsfev1.ClassC {
		return "invoice.subtotal"
	}
	return "invoice.net"
}

// invoice reads an invoice of a type.
func (n *Node) invoice(cbteTipo *Node) *Invoice {
	i := &Invoice{
		Number: numbers(n.Member("CbteDesde").text(), n.Member("CbteHasta").text()), Date: n.Member("CbteFch").word(),
		Concept: n.Member("Concepto").word(), Receiver: receiver(n), Condition: n.Member("CondicionIVAReceptorId").word(),
		Findings: n.Below, Due: n.Member("FchVtoPago").word(), Words: n.t,
	}
	if from, to := n.Member("FchServDesde").word(), n.Member("FchServHasta").word(); from != "" {
		i.Service = from + " – " + to
	}
	currency := n.Member("MonId").value()
	add := func(name string, figure *Node) {
		if text := money(figure, currency); text != "" {
			i.Lines = append(i.Lines, Line{Name: name, Amount: text})
		}
	}
	add(n.t(net(cbteTipo)), n.Member("ImpNeto").ifAny())
	i.addItems(n, currency, "Iva", "AlicIva", "ImpIVA", "IVA")
	i.addItems(n, currency, "Tributos", "Tributo", "ImpTrib", n.t("invoice.tributes"))
	add(n.t("invoice.exempt"), n.Member("ImpOpEx").ifAny())
	add(n.t("invoice.untaxed"), n.Member("ImpTotConc").ifAny())
	i.Total = money(n.Member("ImpTotal"), currency)
	if figures := n.figures(); n.isWhole() && len(figures) > 0 {
		i.TotalSum = differs(n.Member("ImpTotal"), currency, figures...)
	}
	if i.TotalSum != "" && i.Total == "" {
		i.Total = n.t("invoice.absent")
	}
	if rate := n.Member("MonCotiz"); rate != nil && currency != "PES" && currency != "" {
		i.Rate = rate.text()
	}
	return i
}

// maxName is how long the name of a line is, in characters.
const maxName = 80

// brief cuts the name of a line.
func brief(name string) string {
	if runes := []rune(name); len(runes) > maxName {
		return string(runes[:maxName]) + "…"
	}
	return name
}

// ifAny returns a figure unless it is 0.
func (n *Node) ifAny() *Node {
	if a, err := wsfev1.ParseAmount(n.value()); err == nil && a.Sign() == 0 {
		return nil
	}
	return n
}

// money formats a figure; empty for none.
func money(n *Node, currency string) string {
	if n == nil {
		return ""
	}
	a, err := wsfev1.ParseAmount(n.value())
	if err != nil {
		return n.text()
	}
	return n.moneyOf(a, currency)
}

// moneyOf formats an amount in the language of the tree.
func (n *Node) moneyOf(a wsfev1.Amount, currency string) string {
	if currency == "" || len(currency) > 3 {
		return spanish.AmountIn(n.lang(), a)
	}
	text, _ := shown(spanish.MoneyIn(n.lang(), a, currency))
	return text
}
