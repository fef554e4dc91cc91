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
	// escaped: it is a string that has escapes.
	escaped bool
}

// To returns where the piece ends.
func (p Piece) To() int { return p.From + len(p.Raw) }

// Text returns the text of a string or a name. An invalid one is read as far as it goes: nothing of it may be
// missed. It may be a part of the body.
func (p Piece) Text() []byte {
	if p.escaped {
		text, _ := jsontext.AppendUnquote(nil, p.Raw)
		return text
	}
	return p.Raw[1 : len(p.Raw)-1]
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

// loose reads any JSON.
var loose = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// JSON walks over a body of at most so many values, which stand at the place root. It reports whether the body is
// that, and is no empty one where one value is to be; if it is not, the visitor is told what stands before the mistake.
func JSON[P any](body []byte, most int, root P, v JSONVisitor[P]) bool {
	d := jsontext.NewDecoder(bytes.NewBuffer(body), loose...)
	for n := 0; ; n++ {
		r := reader[P]{at: int(d.InputOffset()), v: v}
		_, err := d.ReadValue()
		var wrong *jsontext.SyntacticError
		switch {
		case errors.Is(err, io.EOF):
			return n > 0 || most > 1
		case n == most:
			return false
		case errors.As(err, &wrong):
			r.text = body[:wrong.ByteOffset]
			r.value(root, false)
			return false
		case err != nil:
			return false
		}
		r.text = body[:d.InputOffset()]
		r.value(root, false)
	}
}

// reader reads the pieces of JSON that is valid as far as it goes.
type reader[P any] struct {
	text []byte
	at   int
	v    JSONVisitor[P]
}

// peek moves to the next byte of a piece or a bracket and returns it, 0 at the end.
func (r *reader[P]) peek() byte {
	for ; r.at < len(r.text); r.at++ {
		if b := r.text[r.at]; !between[b] {
			return b
		}
	}
	return 0
}

// between are the bytes that may stand between two pieces, and ends those that may end a number.
var between, ends = func() (some, all [256]bool) {
	for _, b := range []byte(" \t\r\n,:") {
		some[b], all[b] = true, true
	}
	all[']'], all['}'] = true, true
	return some, all
}()

// value walks over the next value, and reports false if the text ends before it does.
func (r *reader[P]) value(at P, whole bool) bool {
	switch begins := r.peek(); {
	case whole || begins != '{' && begins != '[':
		p, ok := r.piece(begins)
		if ok {
			r.v.Value(at, p)
		}
		return ok
	case begins == '{':
		return r.object(at)
	}
	at = r.v.Items(at)
	for r.at++; r.peek() != ']'; {
		if !r.value(at, false) {
			return false
		}
	}
	r.at++
	return true
}

func (r *reader[P]) object(at P) bool {
	r.at++
	for {
		switch r.peek() {
		case '}':
			r.at++
			return true
		case '"':
		default:
			return false
		}
		name, ok := r.piece('"')
		if !ok {
			return false
		}
		of, whole := r.v.Name(at, name)
		if !r.value(of, whole) {
			return false
		}
	}
}

// piece reads the next value, whose first byte was peeked at, and reports false if the text ends before it does.
func (r *reader[P]) piece(begins byte) (Piece, bool) {
	from, escaped, ok := r.at, false, false
	switch begins {
	case '"':
		escaped, ok = r.quoted()
	case '{', '[':
		ok = r.nested()
	default:
		ok = r.bare()
	}
	if !ok {
		return Piece{}, false
	}
	return Piece{r.text[from:r.at], from, escaped}, true
}

// quoted moves behind a string, and reports whether it has escapes. Most are so short that a search for the next
// quotation mark takes longer to begin than it saves.
func (r *reader[P]) quoted() (escaped, ok bool) {
	text, at := r.text, r.at+1
	for at < len(text) && text[at] != '"' {
		if at++; text[at-1] == '\\' {
			escaped = true
			at++
		}
	}
	r.at = at + 1
	return escaped, at < len(text)
}

// nested moves behind an object or a list.
func (r *reader[P]) nested() bool {
	for depth := 0; ; {
		ok := true
		switch b := r.peek(); b {
		case '{', '[':
			depth++
			r.at++
		case '}', ']':
			depth--
			r.at++
		default:
			_, ok = r.piece(b)
		}
		if !ok || depth == 0 {
			return ok
		}
	}
}

// bare moves behind a number, true, false or null.
func (r *reader[P]) bare() bool {
	from := r.at
	for r.at < len(r.text) && !ends[r.text[r.at]] {
		r.at++
	}
	switch text := r.text[from:r.at]; {
	case len(text) == 0:
		return false
	case text[0] > '9':
		return string(text) == "true" || string(text) == "false" || string(text) == "null"
	default:
		return text[len(text)-1]-'0' < 10 // one that was cut is no number
	}
}
