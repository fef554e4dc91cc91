package find

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/wsfev1"
	"github.com/fielato/fielato/wsfev1/qr"
)

// readQR reads the address in the QR code of an invoice.
func readQR(r *Request, word string) bool {
	invoice, err := qr.Parse(word)
	if err != nil || r.Query.Cuit != 0 || !r.merge([]int32{invoice.CbteTipo}, uint64(invoice.PtoVta), uint64(invoice.Number)) {
		return false
	}
	r.Query.Cuit = invoice.Cuit
	return true
}

// readRecord reads the address of a record.
func readRecord(r *Request, word string) bool {
	log, index, found := strings.Cut(word, "/")
	n, ok := number(index, 20)
	if !found || !ok || log == "" || strings.ContainsAny(log, "/\\") {
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

// readDigits reads a CUIT, of the issuer or after it of the receiver, a DNI, or the code of a finding: three to five
// digits.
func readDigits(r *Request, word string) bool {
	switch {
	case isCUIT(word) && r.Query.Cuit == 0:
		return readIssuer(r, word)
	case isCUIT(word) || isDNI(word):
		return readReceiver(r, word)
	}
	return readFinding(r, word)
}

func readFinding(r *Request, word string) bool {
	if _, ok := number(word, 5); !ok || len(word) < 3 || r.Query.Finding != "" {
		return false
	}
	r.Query.Finding = word
	return true
}

func isCUIT(word string) bool {
	_, err := wsfev1.ParseCUIT(word)
	return err == nil && len(word) >= 11
}

// isDNI reports whether a word is a DNI: seven or eight digits, with or without dots.
func isDNI(word string) bool {
	n, err := audit.ParseReceiver(word)
	return err == nil && n >= 1_000_000 && n <= 99_999_999 && word[0] != '0' && strings.Count(word, "-") == 0
}

func readIssuer(r *Request, word string) bool {
	cuit, err := wsfev1.ParseCUIT(word)
	if err != nil || len(word) < 11 || r.Query.Cuit != 0 {
		return false
	}
	r.Query.Cuit = cuit
	r.doubt(cuit, word)
	return true
}

func readReceiver(r *Request, word string) bool {
	receiver, err := audit.ParseReceiver(word)
	if err != nil || r.Query.Receiver != 0 {
		return false
	}
	r.Query.Receiver = receiver
	if isCUIT(word) {
		r.doubt(wsfev1.CUIT(receiver), word)
	}
	return true
}

func (r *Request) doubt(cuit wsfev1.CUIT, word string) {
	if !cuit.Valid() {
		r.Doubts = append(r.Doubts, word)
	}
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
