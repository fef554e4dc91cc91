package walk

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// Piece is a name or a value of a body, as it is written, and where it begins.
type Piece struct {
	Raw  jsontext.Value
	From int
}

// To returns where the piece ends.
func (p Piece) To() int { return p.From + len(p.Raw) }

// Text returns the text of a string or a name. An invalid one is read as far as it goes: nothing of it may be
// missed. It may be a part of the body.
func (p Piece) Text() []byte {
	if bytes.IndexByte(p.Raw, '\\') < 0 {
		return p.Raw[1 : len(p.Raw)-1]
	}
	text, _ := jsontext.AppendUnquote(nil, p.Raw)
	return text
}

// JSONVisitor is told the pieces of a body.
type JSONVisitor[P any] interface {
	// Name is told a name in an object at a place. It returns the place of the value that follows, and
	// whether that is one piece, whatever it is.
	Name(in P, name Piece) (at P, whole bool)
	// Items returns the place of the items of a list at a place.
	Items(list P) P
	// Value is told a scalar, or a value that is one piece.
	Value(at P, value Piece)
}

// JSON walks over a body of at most so many values, which stand at the place root. It reports whether the body is
// that, and is no empty one where one value is to be; if it is not, the visitor is told what stands before the mistake.
func JSON[P any](body []byte, most int, root P, v JSONVisitor[P]) bool {
	w := jsonWalk[P]{body: body, v: v, decoder: jsontext.NewDecoder(bytes.NewBuffer(body),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	for n := range most {
		if err := w.value(root, false); err != nil {
			return errors.Is(err, io.EOF) && (n > 0 || most > 1)
		}
	}
	_, err := w.decoder.ReadToken()
	return errors.Is(err, io.EOF)
}

type jsonWalk[P any] struct {
	body    []byte
	v       JSONVisitor[P]
	decoder *jsontext.Decoder
}

func (w *jsonWalk[P]) value(at P, whole bool) error {
	kind := w.decoder.PeekKind()
	if whole || kind != '{' && kind != '[' {
		p, err := w.piece()
		if err == nil {
			w.v.Value(at, p)
		}
		return err
	}
	_, err := w.decoder.ReadToken()
	if kind == '[' {
		at = w.v.Items(at)
	}
	for err == nil && w.decoder.PeekKind() != kind+('}'-'{') {
		if kind == '{' {
			err = w.member(at)
		} else {
			err = w.value(at, false)
		}
	}
	if err == nil {
		_, err = w.decoder.ReadToken()
	}
	return err
}

func (w *jsonWalk[P]) member(in P) error {
	name, err := w.piece()
	if err != nil {
		return err
	}
	at, whole := w.v.Name(in, name)
	return w.value(at, whole)
}

// piece reads a value as a part of the body: what the decoder returns does not last.
func (w *jsonWalk[P]) piece() (Piece, error) {
	raw, err := w.decoder.ReadValue()
	end := int(w.decoder.InputOffset())
	return Piece{w.body[end-len(raw) : end], end - len(raw)}, err
}
