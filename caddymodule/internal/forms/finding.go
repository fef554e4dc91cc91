package forms

import (
	"strings"

	"github.com/fielato/fielato/caddymodule/internal/printable"
	"github.com/fielato/fielato/validate"
)

// InXML names the element of a finding, empty for a document in JSON.
func InXML(f validate.Finding) string {
	if f.Path == "" {
		return ""
	}
	return " en " + printable.OneLine(f.Path)
}

// MessageOf returns the code and the message of the answer, for a text that stands alone. A finding about the
// whole document has no place at the end.
func MessageOf(f validate.Finding) string {
	return f.Code + ": " + strings.TrimSuffix(f.Message(), " ()")
}
