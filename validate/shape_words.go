package validate

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/wsfev1"
)

// maxFigure bounds a figure that the text of a finding repeats, in bytes.
const maxFigure = 24

// kindInWords words a value of the wrong kind. It repeats nothing but figures, and none of a
// credential. m is the member, nil for an item of a list and for the body, which has no raw.
func kindInWords(m *wsfev1.Member, want wsfev1.Kind, got jsontext.Kind, raw []byte) string {
	name := "El valor"
	switch {
	case m != nil:
		name = m.Name
	case raw == nil:
		name = "El cuerpo"
	}
	text := name + " debe ser " + kindText(want)
	figure, quotedFigure := strings.Trim(string(raw[:min(len(raw), maxFigure+3)]), `"`), got == '"'
	if len(raw) > maxFigure+2 || m != nil && m.Secret || figure == "" || strings.Trim(figure, "0123456789.,-") != "" {
		figure = ""
	}
	isNumber := want == wsfev1.KindInteger || want == wsfev1.KindAmount
	switch {
	case isNumber && quotedFigure && isFigure(figure) && (want == wsfev1.KindAmount || !strings.Contains(figure, ".")):
		return text + " sin comillas: " + figure + `, no "` + figure + `"`
	case isNumber && quotedFigure && want == wsfev1.KindAmount && isFigure(strings.Replace(figure, ",", ".", 1)):
		return text + " sin comillas y con punto decimal: " + strings.Replace(figure, ",", ".", 1) + `, no "` + figure + `"`
	case want == wsfev1.KindAmount && quotedFigure && figure != "":
		return text + " sin comillas ni separador de miles, con punto decimal"
	case isNumber && quotedFigure:
		return text + " sin comillas"
	case want == wsfev1.KindText && got == '0' && isFigure(figure):
		return text + ` entre comillas: "` + figure + `", no ` + figure
	case want == wsfev1.KindList && got == '{':
		return text + ": ponga el objeto entre corchetes, [{…}], aunque sea uno solo"
	case got == 'n':
		return text + ", no null"
	}
	return text + ", no " + jsonKindText(got)
}

// isFigure reports whether a text is a JSON number.
func isFigure(text string) bool {
	v := jsontext.Value(text)
	return text != "" && v.IsValid() && v.Kind() == '0'
}
