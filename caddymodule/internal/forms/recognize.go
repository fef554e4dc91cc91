package forms

import (
	"bufio"
	"bytes"
	"regexp"
)

// Blanks is the white space of JSON and of XML.
const Blanks = " \t\r\n"

// BeginsWithXML reports whether what r holds begins as XML does, or in UTF-16: after a byte
// order mark and white space. It waits for no more than it needs, and takes nothing from r.
func BeginsWithXML(r *bufio.Reader) bool {
	for n := 1; n <= r.Size(); n = max(n+1, r.Buffered()) {
		start, err := r.Peek(n)
		if xml, certain := isXML(start); certain || err != nil {
			return xml
		}
	}
	return false
}

// isXML is BeginsWithXML for the first bytes. certain: more of them would change nothing.
func isXML(start []byte) (xml, certain bool) {
	if len(start) < 2 {
		return bytes.Equal(start, []byte("<")), false
	}
	switch string(start[:2]) {
	case "\xFE\xFF", "\xFF\xFE", "\x00<", "<\x00":
		return true, true
	}
	const bom = "\xEF\xBB\xBF"
	if len(start) < len(bom) && start[0] == bom[0] {
		return false, false
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(start, []byte(bom)), Blanks)
	return len(text) > 0 && text[0] == '<', len(text) > 0
}

var (
	requestLine = regexp.MustCompile(`^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) \S+ HTTP/\d`)
	statusLine  = regexp.MustCompile(`^HTTP/\d(?:\.\d)? \d{3}\b`)
	headerLine  = regexp.MustCompile(`(?i)^(?:Host|Content-Type|Content-Length|SOAPAction|User-Agent|Accept|Connection|Server|Date|Cache-Control): `)
)

// RecordedHTTP returns what of HTTP begins with this line, in Spanish: a request, an answer or
// its header alone. It is empty for any other line.
func RecordedHTTP(line []byte) string {
	switch {
	case requestLine.Match(line):
		return "un pedido"
	case statusLine.Match(line):
		return "una respuesta"
	case headerLine.Match(line):
		return "un mensaje"
	}
	return ""
}

// IsMarkup reports whether a text in UTF-8 begins as XML does.
func IsMarkup(text []byte) bool {
	text = bytes.TrimLeft(bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF")), Blanks)
	return len(text) > 0 && text[0] == '<'
}
