package tree

import (
	"strconv"
	"strings"

	"github.com/fielato/fielato/caddymodule/internal/spanish"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/wsfev1"
)

// amount shows an amount as it stands on paper.
func (n *Node) amount(text string) {
	n.Amount = true
	if a, err := wsfev1.ParseAmount(text); err == nil {
		n.Text, n.Cut = shown(spanish.AmountIn(n.lang(), a))
		if n.Name == "Alic" || n.Name == "Porcentaje" {
			n.Text, n.Cut = shown(spanish.PercentIn(n.lang(), a))
		}
	}
}

// words are the meanings of members whose value is a number.
var words = map[string]func(int32) string{
	"CbteTipo": voucher, "Concepto": spanish.Concept, "DocTipo": spanish.DocumentType,
	"CondicionIVAReceptorId": condition, "Periodo": spanish.Month, "Orden": fortnight,
}

// idWords are the words for the member Id, by the name of the list.
var idWords = map[string]func(int32) string{"AlicIva": spanish.VAT, "Tributo": spanish.Tribute}

// texts are the meanings of members whose value is a text.
var texts = map[string]func(string) string{
	"MonId": spanish.Currency, "Resultado": verdict,
	"CbteFch": day, "FchServDesde": day, "FchServHasta": day, "FchVtoPago": day, "CAEFchVto": day, "FchVto": day, "FchCotiz": day,
	"FchDesde": day, "FchHasta": day, "FchVigDesde": day, "FchVigHasta": day, "FchTopeInf": day,
	"FchProceso": timestamp, "CbteFchHsGen": timestamp,
}

// describe sets the words of an object's members, and its label.
func describe(n *Node) {
	list := n.list()
	for _, m := range n.Children {
		value := m.value()
		if value == "" || m.Group {
			continue
		}
		id, isNumber := number(value)
		switch word, text := words[m.Name], texts[m.Name]; {
		case word != nil && isNumber:
			m.Word = word(id)
		case text != nil:
			m.Word = text(value)
		case m.Name == "Cuit":
			m.Word = cuit(value)
		case m.Name == "DocNro":
			m.Word = document(n)
		case m.Name == "Tipo" && list == "CbteAsoc" && isNumber:
			m.Word = voucher(id)
		case m.Name == "Id" && list == "Opcional":
			m.Word, _ = shown(spanish.Optional(value))
		case m.Name == "Id" && idWords[list] != nil && isNumber:
			m.Word = idWords[list](id)
		}
	}
	n.Label = label(n, list)
}

// list returns the name of the list that an object is an item of.
func (n *Node) list() string {
	steps := strings.Split(n.pointer, "/")
	if len(steps) < 2 {
		return ""
	}
	return steps[len(steps)-2]
}

// label returns what an item is about, in one line.
func label(n *Node, list string) string {
	var parts []string
	add := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	switch list {
	case "AlicIva", "Tributo":
		add(n.Member("Id").word())
		add(n.Member("Importe").text())
	case "CbteAsoc":
		add(n.Member("Tipo").word())
		add(n.Member("Nro").text())
	case "Opcional":
		add(n.Member("Id").word())
	case "Comprador":
		add(receiver(n))
	case "Obs", "Err", "Evt":
		add(n.Member("Code").text())
		add(n.Member("Msg").text())
	default:
		if first := n.Member("CbteDesde"); first != nil {
			add(numbers(first.text(), n.Member("CbteHasta").text()))
			add(receiver(n))
			add(n.Member("ImpTotal").text())
			add(n.Member("Resultado").word())
		}
	}
	return strings.Join(parts, " · ")
}

func (n *Node) word() string {
	if n == nil {
		return ""
	}
	return n.Word
}

func (n *Node) text() string {
	if n == nil || n.State == Missing {
		return ""
	}
	return n.Text
}

// numbers formats a range of invoices.
func numbers(first, last string) string {
	if first == last || last == "" {
		return "Nº " + first
	}
	return "Nº " + first + " a " + last
}

// receiver names the receiver of an invoice by its document, or says that it is hidden.
func receiver(n *Node) string {
	number := n.Member("DocNro")
	switch {
	case number == nil:
		return ""
	case number.State == Masked:
		return strings.TrimSpace(n.Member("DocTipo").word() + " " + number.Text)
	case number.State != "":
		return n.t("tree." + string(number.State))
	}
	if text := document(n); text != "" {
		return text
	}
	return strings.TrimSpace(n.Member("DocTipo").text() + " " + number.Text)
}

// document names the receiver of an invoice; empty if that is not possible.
func document(n *Node) string {
	docTipo, ok := number(n.Member("DocTipo").value())
	docNro, err := strconv.ParseInt(n.Member("DocNro").value(), 10, 64)
	if !ok || err != nil {
		return ""
	}
	return spanish.Document(docTipo, docNro)
}

func number(text string) (int32, bool) {
	n, err := strconv.ParseInt(text, 10, 32)
	return int32(n), err == nil
}

func voucher(id int32) string   { return spanish.Voucher(id) }
func condition(id int32) string { return spanish.Condition(id) }

func verdict(resultado string) string { return story.Spanish.T("verdict." + resultado) }

// fortnight names a half of a month.
func fortnight(orden int32) string {
	return map[int32]string{1: "primera quincena", 2: "segunda quincena"}[orden]
}

// day formats a date; empty if it is not one.
func day(text string) string {
	if d := wsfev1.Date(text); d.Valid() {
		return spanish.Day(d)
	}
	return ""
}

// timestamp formats a moment of the service, yyyymmddhhmmss; empty if it is not one.
func timestamp(text string) string {
	if len(text) == 8 {
		return day(text)
	}
	if len(text) != 14 || strings.Trim(text, "0123456789") != "" || day(text[:8]) == "" {
		return ""
	}
	return day(text[:8]) + " " + text[8:10] + ":" + text[10:12] + ":" + text[12:]
}

func cuit(text string) string {
	c, err := wsfev1.ParseCUIT(text)
	if err != nil {
		return ""
	}
	return spanish.CUIT(c)
}
