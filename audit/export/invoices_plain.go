package export

import "github.com/fielato/fielato/internal/jsonscan"

// plainDetails is invoiceDetails for a request that is JSON of ASCII without an escape, as nearly all are.
// It reports whether the request is one; any other takes a decoder.
func plainDetails(request []byte) ([]invoiceDetail, bool) {
	s := plainScanner{text: request}
	end := s.value(0, 0, 0)
	return s.found, end >= 0 && s.blanks(end) == len(request)
}

// plainScanner reads JSON up to the first thing that it leaves to a decoder. Its methods take where something
// begins and return where it ends, -1 if it is not plain, or no JSON.
type plainScanner struct {
	text  []byte
	found []invoiceDetail
}

// What a value is for, after the objects on the way to the invoices, which have their places in detailPaths.
const (
	forInvoices = 3 + iota
	forInvoice
	forNothing
)

// maxPlainDepth bounds the stack. No request of the contract comes near it.
const maxPlainDepth = 32

func (s *plainScanner) value(at, depth, use int) int {
	at = s.blanks(at)
	if at == len(s.text) || depth > maxPlainDepth {
		return -1
	}
	switch c := s.text[at]; {
	case c == '{' && use != forInvoices:
		return s.object(at+1, depth, use)
	case c == '[' && (use == forInvoices || use == forNothing):
		return s.list(at+1, depth, use)
	case use != forNothing:
		return -1 // the decoder knows what to make of it
	case c == '"':
		return s.quoted(at)
	case c == '-' || isDigit(c):
		return s.number(at)
	}
	for _, word := range []string{"null", "true", "false"} {
		if end := at + len(word); end <= len(s.text) && string(s.text[at:end]) == word {
			return end
		}
	}
	return -1
}

// object reads an object from its first member on.
func (s *plainScanner) object(at, depth, use int) int {
	var detail invoiceDetail
	if use < forInvoices {
		s.found = nil // the last list counts, even if there is none in it
	}
	for first := true; ; first = false {
		at = s.blanks(at)
		if first && s.is(at, '}') {
			at++
			break
		}
		name := at
		if at = s.quoted(at); at < 0 {
			return -1
		}
		end := at
		if at = s.blanks(at); !s.is(at, ':') {
			return -1
		}
		value := s.blanks(at + 1)
		if at = s.value(value, depth+1, useOf(s.text[name:end], use)); at < 0 {
			return -1
		}
		if use == forInvoice {
			detail.note(s.text[name:end], s.text[value:at])
		}
		at = s.blanks(at) + 1
		if s.is(at-1, '}') {
			break
		}
		if !s.is(at-1, ',') {
			return -1
		}
	}
	if use == forInvoice {
		s.found = append(s.found, detail)
	}
	return at
}

// useOf returns what a member is for, of an object that is for use.
func useOf(name []byte, use int) int {
	if use < forInvoices && detailPaths[use][string(name)] {
		return use + 1
	}
	return forNothing
}

// note takes what an invoice has of the detail.
func (i *invoiceDetail) note(name, value []byte) {
	isText := value[0] == '"'
	switch string(name) {
	case `"CbteFch"`:
		if isText {
			i.date = string(value[1 : len(value)-1])
		}
	case `"MonId"`:
		if isText {
			i.currency = string(value[1 : len(value)-1])
		}
	case `"ImpTotal"`:
		if value[0] == '-' || isDigit(value[0]) {
			i.total = string(value)
		}
	}
}

// list reads a list from its first item on.
func (s *plainScanner) list(at, depth, use int) int {
	item := forNothing
	if use == forInvoices {
		s.found, item = nil, forInvoice
	}
	if at = s.blanks(at); s.is(at, ']') {
		return at + 1
	}
	for {
		if at = s.value(at, depth+1, item); at < 0 {
			return -1
		}
		at = s.blanks(at) + 1
		if s.is(at-1, ']') {
			return at
		}
		if !s.is(at-1, ',') {
			return -1
		}
	}
}

// quoted reads a text with its quotes.
func (s *plainScanner) quoted(at int) int {
	if !s.is(at, '"') {
		return -1
	}
	for i, c := range s.text[at+1:] {
		if c == '"' {
			return at + i + 2
		}
		if c < ' ' || c == '\\' || c > '~' {
			return -1
		}
	}
	return -1
}

func (s *plainScanner) number(at int) int {
	n := jsonscan.NumberLen(s.text[at:])
	if n == 0 {
		return -1
	}
	return at + n
}

func isDigit(c byte) bool { return c-'0' <= 9 }

// blanks returns where the blanks end.
func (s *plainScanner) blanks(at int) int {
	for at < len(s.text) && s.text[at] <= ' ' && (s.text[at] == ' ' || s.text[at] == '\n' || s.text[at] == '\r' || s.text[at] == '\t') {
		at++
	}
	return at
}

func (s *plainScanner) is(at int, c byte) bool { return at < len(s.text) && s.text[at] == c }
