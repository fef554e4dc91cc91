package find

import (
	"strings"
	"time"
)

// labels are the words that stand before what they name, on paper and in mails, and mean nothing more.
var labels = map[string]bool{
	"cuit": true, "cae": true, "caea": true, "cuil": true, "comp": true, "pto": true, "punto": true, "vta": true, "venta": true,
	"comprobante": true, "voucher": true, "invoice": true, "n": true, "nro": true, "no": true, "número": true, "numero": true, "registro": true, "record": true,
	"fecha": true, "date": true, "día": true, "dia": true, "del": true, "el": true, "de": true, "en": true, "id": true, "intercambio": true, "exchange": true,
	"código": true, "codigo": true, "code": true, "error": true, "emisor": true, "issuer": true, "receptor": true, "receiver": true, "cliente": true,
	"comprador": true, "dni": true, "documento": true, "doc": true, "mes": true, "month": true, "day": true, "number": true, "factura": true,
}

func isLabel(word string) bool { return labels[bare(word)] }

// bare returns a word without the signs behind it, in lower case.
func bare(word string) string { return strings.ToLower(strings.TrimRight(word, ":.°º")) }

// labelled are readers of what stands behind a label that says how it is meant.
var labelled = map[string]reader{
	"emisor": one(readIssuer), "issuer": one(readIssuer),
	"receptor": one(readReceiver), "receiver": one(readReceiver), "cliente": one(readReceiver), "comprador": one(readReceiver),
	"dni": one(readReceiver), "documento": one(readReceiver), "doc": one(readReceiver),
	"error": one(readFinding), "código": one(readFinding), "codigo": one(readFinding), "code": one(readFinding),
	"fecha": readDay, "date": readDay, "día": readDay, "dia": readDay, "mes": readDay, "month": readDay, "day": readDay, "del": readDay, "el": readDay,
	"comprobante": readInvoice, "voucher": readInvoice, "invoice": readInvoice,
	"n": one(readNumber), "nro": one(readNumber), "no": one(readNumber), "número": one(readNumber), "numero": one(readNumber), "number": one(readNumber),
	"cae": readSpaced, "caea": readSpaced,
}

// pointLabels are the ways to name a point of sale, as invoices have them.
var pointLabels = [][]string{{"punto", "de", "venta"}, {"pto", "de", "vta"}, {"pto", "vta"}, {"pto.vta"}, {"pv"}}

// readLabelled reads labels and what stands behind them.
func readLabelled(r *Request, words []string, now time.Time) int {
	for _, label := range pointLabels {
		if len(words) > len(label) && startsWith(words, label) && readPoint(r, words[len(label)]) {
			return len(label) + 1
		}
	}
	at := 0
	for at < len(words)-1 && isLabel(words[at]) {
		at++
	}
	for _, label := range words[:at] { // of several the first says most, as in "CAE N°"
		if read := labelled[bare(label)]; read != nil {
			if taken := read(r, words[at:], now); taken > 0 {
				return at + taken
			}
		}
	}
	return 0
}

func startsWith(words, label []string) bool {
	for i, word := range label {
		if bare(words[i]) != word {
			return false
		}
	}
	return true
}

// readPoint reads a point of sale.
func readPoint(r *Request, word string) bool {
	n, ok := number(word, 5)
	if !ok || n == 0 || r.Query.PtoVta != 0 {
		return false
	}
	r.Query.PtoVta = int32(n)
	return true
}

// readNumber reads the number of an invoice.
func readNumber(r *Request, word string) bool {
	n, ok := number(word, 8)
	if !ok || n == 0 || r.Query.Number != 0 {
		return false
	}
	r.Query.Number = int64(n)
	return true
}

// readSpaced reads a CAE in groups of digits behind its label.
func readSpaced(r *Request, words []string, _ time.Time) int { return r.spaced(words, 1) }

// readSpacedCode reads a CAE in three groups of digits or more: of two groups each may be a thing of its own.
func readSpacedCode(r *Request, words []string, _ time.Time) int { return r.spaced(words, 3) }

func (r *Request) spaced(words []string, least int) int {
	code := ""
	for i, word := range words {
		if _, ok := number(word, 14); !ok || len(code)+len(word) > 14 {
			return 0
		}
		if code += word; len(code) == 14 && i+1 >= least && readCode(r, code) {
			return i + 1
		}
	}
	return 0
}
