package redact

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// run walks over the whole body and returns the redacted body. Nearly no body holds credentials elsewhere
// than in their members: another walk looks for them where all texts together say that one may be there.
func (w *redaction) run() ([]byte, bool) {
	if !w.walk() {
		return nil, false
	}
	if w.looks() && w.echoes.heard() {
		w.replaced, w.pieces = nil, make([]piece, 0, len(w.body)/16)
		w.walk()
		w.replacePieces()
	}
	if len(w.replaced) == 0 {
		return bytes.Clone(w.body), true
	}
	out, copied := make([]byte, 0, len(w.body)+len(w.replaced)*len(fingerprintPrefix)), 0
	for _, r := range w.replaced {
		out = append(append(out, w.body[copied:r.from]...), '"')
		out = append(append(out, w.redactor.Fingerprint(r.was)...), '"')
		copied = r.to
	}
	return append(out, w.body[copied:]...), true
}

func (w *redaction) walk() bool {
	if w.looks() && w.pieces == nil {
		w.echoes.listen()
	}
	w.json = jsontext.NewDecoder(bytes.NewBuffer(w.body),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	document := public
	if w.json.PeekKind() != '{' && !w.bare {
		document = secret // no body of the interface: it may hold anything
	}
	if err := w.value(document, w.mask.root()); err != nil {
		return false
	}
	_, err := w.json.ReadToken()
	return errors.Is(err, io.EOF)
}

// looks reports whether the walk looks for credentials in texts.
func (w *redaction) looks() bool { return w.echoes != nil && len(w.echoes.texts) > 0 && !w.collecting }

// replacePieces replaces the pieces that hold a part of a credential.
func (w *redaction) replacePieces() {
	w.echoes.echoes(w.pieces)
	for _, p := range w.pieces {
		if p.echo {
			w.replaced = append(w.replaced, replacement{p.from, p.to, p.text})
		}
	}
	slices.SortFunc(w.replaced, func(a, b replacement) int { return a.from - b.from })
}

// redaction is one walk over one body.
type redaction struct {
	redactor *Redactor
	body     []byte
	json     *jsontext.Decoder
	echoes   *Credentials
	// mask hides fields, nil if there are none. loose: the body need not be of its operation's
	// shape. collecting: the walk only reads the values of the fields.
	mask              *Mask
	loose, collecting bool
	// malformed: a request of unknown shape. bare: nothing but credentials is replaced. secrets, if it is not
	// nil, collects the credentials of the walk, which does nothing else.
	malformed, bare bool
	secrets         *bytes.Buffer
	// replaced are the places that are not kept, in ascending order. pieces are what else may be part of a
	// credential; nil if it is only to be learned whether there is any.
	replaced []replacement
	pieces   []piece
}

func (w *redaction) value(s secrecy, at *field) error {
	if at != nil && at.hidden {
		return w.hide()
	}
	switch w.json.PeekKind() {
	case '{':
		return w.object(s, at)
	case '[':
		if _, err := w.json.ReadToken(); err != nil {
			return err
		}
		if s == holder || s == number {
			s = secret // a list there can hold nothing else
		}
		for w.json.PeekKind() != ']' {
			if err := w.value(s, at); err != nil {
				return err
			}
		}
		_, err := w.json.ReadToken()
		return err
	}
	raw, err := w.json.ReadValue()
	if err != nil {
		return err
	}
	switch kind := raw.Kind(); {
	case !w.bare && s.hides(raw), kind == '"' && w.repeats(raw):
		w.replace(raw)
	case w.looks() && kind == '"':
		text := unquoted(raw)
		w.note(raw, text, kindOf(text))
	case w.looks() && kind == '0':
		if text, kind := ofNumber(raw); kind != 0 {
			w.note(raw, text, kind)
		}
	}
	return nil
}

// hide replaces the value that follows, whatever it is; only null stays.
func (w *redaction) hide() error {
	raw, err := w.json.ReadValue()
	switch {
	case err != nil:
		return err
	case w.collecting:
		w.mask.collectValue(raw)
	case raw.Kind() != 'n':
		w.replace(raw)
	}
	return nil
}

func (w *redaction) object(s secrecy, at *field) error {
	if _, err := w.json.ReadToken(); err != nil {
		return err
	}
	for w.json.PeekKind() != '}' {
		raw, err := w.json.ReadValue()
		if err != nil {
			return err
		}
		name := string(unquoted(raw))
		switch {
		case !w.collecting && (!w.bare && len(name) > maxName || w.mask.repeats(name)):
			w.replace(raw)
		case w.looks() && !interfaceNames[name]:
			w.note(raw, []byte(name), namePiece)
		}
		of := s.of(name)
		if w.malformed && of == public && !interfaceNames[name] {
			of = unknown
		}
		if err := w.value(of, w.mask.member(at, name, w.loose)); err != nil {
			return err
		}
	}
	_, err := w.json.ReadToken()
	return err
}

// note notes a piece that was just read, and its text.
func (w *redaction) note(raw jsontext.Value, text []byte, kind pieceKind) {
	if w.pieces == nil {
		w.echoes.joined.add(w.echoes, text, kind)
		return
	}
	end := int(w.json.InputOffset())
	w.pieces = append(w.pieces, piece{text: bytes.Clone(text), kind: kind, from: end - len(raw), to: end})
}

// repeats reports whether a raw string quotes or names a field.
func (w *redaction) repeats(raw jsontext.Value) bool {
	return w.mask != nil && !w.collecting && w.mask.quotes(string(unquoted(raw)))
}

// unquoted returns the text of a raw string. An invalid string is read as far as it goes:
// nothing of it may be missed.
func unquoted(raw jsontext.Value) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	text, _ := jsontext.AppendUnquote(nil, raw)
	return text
}

// replace notes that the value that was just read is not kept.
func (w *redaction) replace(raw jsontext.Value) {
	if w.collecting {
		return
	}
	end := int(w.json.InputOffset())
	raw = w.body[end-len(raw) : end] // the decoder's own does not last
	content := []byte(raw)
	if raw.Kind() == '"' {
		content = unquoted(raw)
	}
	if w.secrets != nil {
		w.secrets.Write(content)
		w.secrets.WriteByte(0)
		return
	}
	w.replaced = append(w.replaced, replacement{end - len(raw), end, content})
}
