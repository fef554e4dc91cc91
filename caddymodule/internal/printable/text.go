package printable

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/xmlscan"
)

// OneLine escapes unprintable characters: documents and names of files may hold line breaks and control
// sequences of a terminal.
func OneLine(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			for _, unit := range utf16.Encode([]rune{r}) { // as JSON has it
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		}
	}
	return b.String()
}

// Lines is OneLine for a text of several lines, with tabs.
func Lines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		parts := strings.Split(strings.TrimSuffix(line, "\r"), "\t")
		for j := range parts {
			parts[j] = OneLine(parts[j])
		}
		lines[i] = strings.Join(parts, "\t")
	}
	return strings.Join(lines, "\n")
}

// JSON indents a body in JSON.
func JSON(document []byte) (string, error) {
	body := jsontext.Value(document).Clone() // the record keeps it as it was sent
	if err := body.Indent(jsontext.WithIndent("  ")); err != nil {
		return "", fmt.Errorf("printing a body: %w", err)
	}
	return Lines(string(body)) + "\n", nil // only Indent makes line breaks
}

// ServiceRequest formats the request of a service's leg with the findings of the record; empty for
// none.
func ServiceRequest(l *audit.Leg, r *audit.Record) string {
	if l.Form == audit.FormJSON && len(l.Request) > 0 {
		if text, err := JSON(l.Request); err == nil {
			return text
		}
	}
	return XML(l.Request, l.Charset(), r)
}

// XML formats a body of a client's leg with the findings of the record; empty for none. charset comes
// from the body's media type.
func XML(body []byte, charset string, r *audit.Record) string {
	if len(body) == 0 {
		return ""
	}
	if text, ok := IndentXML(body, charset, r.Operation, r.Findings); ok {
		return text
	}
	return OneLine(UTF8(body, charset)) + "\n"
}

// UTF8 returns a message as text. charset comes from its media type, empty for none.
func UTF8(message []byte, charset string) string {
	if text, _, err := xmlscan.Decode(message, charset); err == nil {
		message = text
	}
	return strings.ToValidUTF8(string(message), "\uFFFD")
}
