package find

import (
	"cmp"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
)

// Request is what a text asks for.
type Request struct {
	// Query is the search, without log and limit.
	Query audit.Query
	// Types are the types of voucher that are meant where the text names a class, such as B: any of
	// them. It is empty where Query names the type, or none is meant.
	Types []int32
	// Record is the address of a record, nil unless the text is one.
	Record *Address
	// Unread are the words that mean nothing here, in their order.
	Unread []string
	// Doubts are the words that mean something, but cannot be right: a CUIT whose check digit does not
	// fit.
	Doubts []string
}

// Address is the address of a record: log/index.
type Address struct {
	Log   string
	Index uint64
}

// IsEmpty reports whether the text asked for nothing that can be searched for.
func (r *Request) IsEmpty() bool {
	return r.Record == nil && reflect.DeepEqual(r.Query, audit.Query{}) && len(r.Types) == 0
}

// Parse reads a text. Words stand beside each other in any order; what they ask for must all hold. now
// is the time as of which "hoy" is a day, in the authority's zone.
func Parse(text string, now time.Time) Request {
	r := Request{}
	words := strings.Fields(strings.ToValidUTF8(text, ""))
	for len(words) > 0 {
		taken := 0
		for _, read := range readers {
			if taken = read(&r, words, now); taken > 0 {
				break
			}
		}
		switch {
		case taken > 0:
		case len(words) > 1 && labels[strings.ToLower(strings.TrimRight(words[0], ":.°º"))]:
			taken = 1
		default:
			r.Unread, taken = append(r.Unread, words[0]), 1
		}
		words = words[taken:]
	}
	if all := strings.Fields(strings.ToValidUTF8(text, "")); r.IsEmpty() && len(all) > 0 { // labels of nothing
		r.Unread = all
	}
	return r
}

// labels are the words that stand before what they name, on paper and in mails, and mean nothing more.
var labels = map[string]bool{
	"cuit": true, "cae": true, "caea": true, "código": true, "codigo": true, "code": true, "error": true, "emisor": true, "issuer": true,
	"comprobante": true, "voucher": true, "invoice": true, "n": true, "nro": true, "no": true, "número": true, "numero": true, "registro": true, "record": true,
	"fecha": true, "date": true, "día": true, "dia": true, "del": true, "el": true, "id": true, "intercambio": true, "exchange": true,
}

// reader reads the beginning of some words, and returns how many of them it has taken; 0 for none.
type reader func(r *Request, words []string, now time.Time) int

// readers are tried one after the other.
var readers = []reader{readInvoice, one(readRecord), one(readTrace), one(readExchange), readDay, one(readCode), one(readDigits), one(readRule), one(readOperation)}

// one is a reader of a single word.
func one(read func(r *Request, word string) bool) reader {
	return func(r *Request, words []string, _ time.Time) int {
		if read(r, words[0]) {
			return 1
		}
		return 0
	}
}

// readRecord reads the address of a record.
func readRecord(r *Request, word string) bool {
	log, index, found := strings.Cut(word, "/")
	n, ok := number(index, 20)
	if !found || !ok || log == "" || strings.ContainsAny(log, "/\\") || isDayPart(log) && strings.Count(word, "/") != 1 {
		return false
	}
	if _, isNumber := number(log, 4); isNumber {
		return false // a day without its year
	}
	r.Record = &Address{Log: log, Index: n}
	return true
}

// readTrace reads the identifier of a trace.
func readTrace(r *Request, word string) bool {
	id, err := audit.ParseTraceID(strings.ToLower(word))
	if err != nil || r.Query.TraceID != (audit.TraceID{}) {
		return false
	}
	r.Query.TraceID = id
	return true
}

// readExchange reads the identifier of an exchange, a UUID.
func readExchange(r *Request, word string) bool {
	if len(word) != 36 || r.Query.ID != "" {
		return false
	}
	for i, c := range []byte(strings.ToLower(word)) {
		hyphen := slices.Contains([]int{8, 13, 18, 23}, i)
		if hyphen != (c == '-') || !hyphen && strings.IndexByte("0123456789abcdef", c) < 0 {
			return false
		}
	}
	r.Query.ID = strings.ToLower(word)
	return true
}

// readCode reads a CAE or CAEA: fourteen digits.
func readCode(r *Request, word string) bool {
	if _, ok := number(word, 14); !ok || len(word) != 14 || r.Query.Code != "" {
		return false
	}
	r.Query.Code = word
	return true
}

// readDigits reads a CUIT, or the code of a finding: three to five digits.
func readDigits(r *Request, word string) bool {
	if cuit, err := wsfev1.ParseCUIT(word); err == nil && len(word) >= 11 && r.Query.Cuit == 0 {
		r.Query.Cuit = cuit
		if !cuit.Valid() {
			r.Doubts = append(r.Doubts, word)
		}
		return true
	}
	if _, ok := number(word, 5); ok && len(word) >= 3 && r.Query.Finding == "" {
		r.Query.Finding = word
		return true
	}
	return false
}

// rule is a code of the gateway's own, such as shape.required.
var rule = regexp.MustCompile(`^[a-z]+([._][a-z0-9]+)*\.[a-z0-9_]+$`)

// readRule reads the code of a finding that is no number.
func readRule(r *Request, word string) bool {
	word = strings.ToLower(word)
	if len(word) > 64 || !rule.MatchString(word) || r.Query.Finding != "" {
		return false
	}
	r.Query.Finding = word
	return true
}

// readOperation reads the name of an operation, in any case.
func readOperation(r *Request, word string) bool {
	for _, op := range wsfev1.Operations {
		if strings.EqualFold(op.Name, word) && r.Query.Operation == "" {
			r.Query.Operation = op.Name
			return true
		}
	}
	return false
}

// number reads digits, as many as most at most.
func number(text string, most int) (uint64, bool) {
	if text == "" || len(text) > most || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n := uint64(0)
	for _, c := range []byte(text) {
		next := n*10 + uint64(c-'0')
		if next < n || n > 1<<60 {
			return 0, false
		}
		n = next
	}
	return n, true
}

// typesOf returns the types of voucher of a class, as people write it: A, B, C, M.
func typesOf(word string) []int32 {
	class := wsfev1.Class(strings.ToUpper(word))
	if class == "M" {
		class = wsfev1.ClassALEY
	}
	var all []int32
	for _, t := range wsfev1.VoucherTypes() {
		if wsfev1.ClassOf(t) == class {
			all = append(all, t)
		}
	}
	return all
}

// merge sets an invoice, unless another one was set before.
func (r *Request) merge(types []int32, point, invoice uint64) bool {
	if cmp.Or(r.Query.PtoVta, r.Query.CbteTipo) != 0 || r.Query.Number != 0 || len(r.Types) > 0 {
		return false
	}
	if len(types) == 1 {
		r.Query.CbteTipo = types[0]
	} else {
		r.Types = types
	}
	r.Query.PtoVta, r.Query.Number = int32(point), int64(invoice)
	return true
}
