package mask

import (
	"bytes"
	"math"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fielato/fielato/internal/mask/walk"
)

// Collect remembers the documents in a body.
func (m *Mask) Collect(body []byte) {
	if m != nil {
		walk.JSON(body, math.MaxInt, "", &inJSON{mask: m, body: body, collecting: true}) // what was read up to an error counts
	}
}

// JSON returns a body with Hidden in place of the documents, and all other bytes as they were. It returns
// false for a body that is not JSON, which must not be shown.
func (m *Mask) JSON(body []byte) ([]byte, bool) {
	if m == nil || len(body) == 0 {
		return body, true
	}
	in := inJSON{mask: m, body: body}
	if !walk.JSON(body, math.MaxInt, "", &in) {
		return nil, false
	}
	return walk.Apply(body, in.edits, write), true
}

// write writes the text of an edit.
func write(out, text []byte) []byte { return append(out, text...) }

// inJSON looks for documents in a body. A place is the name of a member.
type inJSON struct {
	mask *Mask
	body []byte
	// collecting: the documents are only remembered. entry is an Opcional as far as it was read, and done where the
	// last piece ends.
	collecting bool
	entry      opcional
	done       int
	edits      []walk.Edit
}

// Name looks at a name, which stands in no place.
func (in *inJSON) Name(of string, name walk.Piece) (string, bool) {
	if holdsAll(of) {
		in.Value(of, name)
		return of, false
	}
	in.Value("", name)
	return textOf(name), false
}

// Items returns the place of a list, which all its items have.
func (in *inJSON) Items(of string) string { return of }

// Value looks at a scalar or a name.
func (in *inJSON) Value(of string, value walk.Piece) {
	kind := value.Raw.Kind()
	switch {
	case in.collecting:
		in.collect(of, value)
	case kind == '"' || kind == '0':
		if shown, changed := in.mask.shown(of, textOf(value), kind == '0'); changed {
			quoted, _ := jsontext.AppendQuote(nil, shown) // bytes that are no UTF-8 become U+FFFD
			in.edits = append(in.edits, walk.Edit{From: value.From, To: value.To(), Text: quoted})
		}
	}
}

func (in *inJSON) collect(of string, value walk.Piece) {
	if bytes.ContainsAny(in.body[in.done:value.From], "{}") { // between two scalars there are no texts
		in.entry = opcional{}
	}
	in.done = value.To()
	if of != "" {
		in.entry.set(of, textOf(value))
		in.entry.addTo(in.mask)
	}
	if kind := value.Raw.Kind(); strings.EqualFold(of, member) && (kind == '"' || kind == '0') {
		in.mask.add(textOf(value))
	}
}

// textOf returns the text of a scalar, or its JSON. It is read as a page shows it: bytes that are no UTF-8 are U+FFFD.
func textOf(value walk.Piece) string {
	if value.Raw.Kind() == '"' {
		if text, err := jsontext.AppendUnquote(nil, value.Raw); err == nil || len(text) > 0 {
			return string(text)
		}
	}
	return string(value.Raw)
}
