package forms

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/internal/xmlscan"
)

// Indented returns the document with an element or a member a line.
func (d Document) Indented() Document {
	if d.XML {
		d.Text = indentMessage(d.Text)
		return d
	}
	text := jsontext.Value(d.Text).Clone()
	_ = text.Indent(jsontext.WithIndent("  ")) // fails only if it is not JSON
	d.Text = text
	return d
}

// indentMessage puts each element that holds others, and each that does not, on a line of its own.
// Texts stay as they are: message has none beside elements.
func indentMessage(message []byte) []byte {
	var out bytes.Buffer
	var scan xmlscan.Scanner
	scan.Reset(message, nil)
	newLine := func(depth int) {
		if out.Len() > 0 {
			out.WriteString("\n" + strings.Repeat("  ", depth))
		}
	}
	for inline := false; ; {
		from := scan.Pos()
		kind, err := scan.Next()
		if err != nil || kind == xmlscan.EOF {
			return out.Bytes()
		}
		out.Write(message[from:scan.Offset()]) // the declaration
		token := message[scan.Offset():scan.Pos()]
		if kind == xmlscan.Start || kind == xmlscan.End && !inline && len(token) > 0 {
			newLine(scan.Depth() - map[bool]int{true: 1}[kind == xmlscan.Start])
		}
		out.Write(token)
		inline = kind == xmlscan.Start || kind == xmlscan.Text
	}
}

// Printable returns the document with a line break at its end, and with references for all
// characters that a terminal would not print. It reads the same.
func (d Document) Printable() []byte {
	if !d.XML {
		lines := strings.Split(string(d.Text), "\n") // only the indentation breaks lines
		for i, line := range lines {
			lines[i] = printable.OneLine(line)
		}
		return []byte(strings.Join(lines, "\n") + "\n")
	}
	out := make([]byte, 0, len(d.Text)+1)
	for i := 0; i < len(d.Text); {
		r, size := utf8.DecodeRune(d.Text[i:])
		if unicode.IsPrint(r) || r == '\n' || r == '\t' {
			out = append(out, d.Text[i:i+size]...)
		} else {
			out = fmt.Appendf(out, "&#x%X;", r)
		}
		i += size
	}
	return append(out, '\n')
}
