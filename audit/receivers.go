package audit

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Receivers returns the numbers of the documents (DocNro) in the request and the answer of an exchange, each once, in
// order: of receivers, and of the buyers of an invoice. They are content: a record whose content was purged, is sealed
// or was not read has none, and neither has one whose fields are hidden. A receiver that is not named, 0, is left out.
func (r *Record) Receivers() []int64 {
	all := appendDocuments(appendDocuments(nil, r.Request), r.Answer)
	slices.Sort(all)
	return slices.Compact(all)
}

// documentNumber is the end of the member's name: a search for what begins with a quote stops at each of them.
var documentNumber = []byte(`DocNro"`)

// appendDocuments appends the numbers in a body. It searches for the name of the member only: every body is searched
// when it is written, and most lists of a lot have it once for an invoice. Within JSON these bytes behind a quote are
// always a whole text, as the quotes within a text are escaped.
func appendDocuments(all []int64, body []byte) []int64 {
	for {
		at := bytes.Index(body, documentNumber)
		if at < 0 {
			return all
		}
		isWhole := at > 0 && body[at-1] == '"'
		body = body[at+len(documentNumber):]
		rest := trimSpace(body)
		if !isWhole || len(rest) == 0 || rest[0] != ':' {
			continue // another name, or a text
		}
		if number := readDocument(trimSpace(rest[1:])); number > 0 {
			all = append(all, number)
		}
	}
}

func trimSpace(text []byte) []byte { return bytes.TrimLeft(text, " \t\r\n") }

// readDocument reads a number, which may be a text; 0 for anything else.
func readDocument(value []byte) (number int64) {
	quoted := len(value) > 0 && value[0] == '"'
	if quoted {
		value = value[1:]
	}
	for i, c := range value {
		switch digit := int64(c - '0'); {
		case digit >= 0 && digit <= 9 && number <= (math.MaxInt64-digit)/10:
			number = 10*number + digit
		case i > 0 && (quoted && c == '"' || !quoted && bytes.IndexByte([]byte(",} \t\r\n"), c) >= 0):
			return number
		default:
			return 0
		}
	}
	return 0
}

// errDocument: this is no number of a document.
var errDocument = errors.New("give the number of a document, such as 20-11111111-2 or 12345678")

// ParseReceiver reads the number of a document that a person wrote: a CUIT or CUIL with or without dashes, a DNI with or
// without dots, or another one of up to 18 digits.
func ParseReceiver(text string) (int64, error) {
	switch {
	case len(text) == 13 && text[2] == '-' && text[11] == '-':
		text = text[:2] + text[3:11] + text[12:]
	case len(text) >= 9 && len(text) <= 10 && text[len(text)-4] == '.' && text[len(text)-8] == '.':
		text = text[:len(text)-8] + text[len(text)-7:len(text)-4] + text[len(text)-3:]
	}
	if text == "" || len(text) > 18 || strings.Trim(text, "0123456789") != "" {
		return 0, errDocument
	}
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil || number == 0 {
		return 0, errDocument
	}
	return number, nil
}
