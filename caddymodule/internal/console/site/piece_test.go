package site

import (
	"html/template"
	"strings"
	"testing"
)

// TestNumbersAreOnePiece: a number within a text is in an element of its own, and what is around it stays text.
func TestNumbersAreOnePiece(t *testing.T) {
	shown := template.Must(template.ParseFS(templateFiles, "templates/pieces.html")).Lookup("pieces")
	for text, want := range map[string]string{
		"":                                "",
		"Pérez <b>":                       "Pérez &lt;b&gt;",
		"CUIT 30-00000000-7":              `CUIT <span class="number">30-00000000-7</span>`,
		"20-11111111-2":                   `<span class="number">20-11111111-2</span>`,
		"0001-00000001 a 00003-00000003.": `<span class="number">0001-00000001</span> a <span class="number">00003-00000003</span>.`,
		"1-2, 2026-11-27":                 "1-2, 2026-11-27",
	} {
		var got strings.Builder
		if err := shown.Execute(&got, (&Frame{}).Pieces(text)); err != nil || got.String() != want {
			t.Errorf("%q became %s (%v), want %s", text, got.String(), err, want)
		}
	}
}
