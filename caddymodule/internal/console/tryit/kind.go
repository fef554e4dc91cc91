package tryit

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/caddymodule/internal/forms"
)

// kind is what a text holds.
type kind string

const (
	kindOne   kind = ""
	kindLines kind = "lines" // a request a line
	kindSheet kind = "csv"   // an invoice a row
)

// kindOf recognises what a text holds by its first lines. The script does the same.
func kindOf(text []byte) kind {
	text = bytes.TrimLeft(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), forms.Blanks)
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	switch {
	case len(first) > 0 && first[0] == '{':
		if len(bytes.Trim(rest, forms.Blanks)) > 0 && jsontext.Value(first).IsValid() {
			return kindLines
		}
	case bytes.Contains(first, []byte("PtoVta")) && bytes.Contains(first, []byte("CbteTipo")) && !bytes.ContainsAny(first, "<{["):
		return kindSheet
	}
	return kindOne
}
