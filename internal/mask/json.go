package mask

import (
	"bytes"
	"slices"

	"github.com/fielato/fielato/internal/mask/walk"
)

// Body returns the JSON body with every credential replaced and all other bytes as they were.
// It replaces
//
//   - the value of a member that the interface marks as secret, whatever the case of its name;
//   - everything but Cuit within an object that holds such members, and a Cuit that is a text
//     and no CUIT;
//   - any text that holds a part of one of the credentials in echoes;
//   - a name that is longer than any of the interface's;
//   - everything in a body that is no object;
//   - the fields that the mask hides: the fingerprint of its text, or of its JSON if it is none, replaces
//     each; and each text that quotes a field or names one.
//
// In a body that is not known to be of its operation's shape, every member with the name of a
// field is one, wherever it stands.
//
// It returns false if body is not one JSON value. Such a body must not be kept: its
// credentials cannot be located. Where nothing is replaced the result is body itself.
func (m *Mask) Body(body []byte, wellFormed bool, echoes ...string) ([]byte, bool) {
	h := jsonHiding{hiding: m.hiding(), body: body, loose: !wellFormed}
	h.echoes = m.echoes(echoes)
	if wellFormed && h.mask == nil {
		if kept, ok := h.plain(); ok {
			return kept, true
		}
	}
	m.Collect(body, wellFormed)
	return h.run()
}

// Malformed is Body for a request that is not of its operation's shape, so that its
// credentials could not be read, or not all of them. Those that it has are echoes too. And a
// member that the interface does not have keeps no text that is longer than a name: it may
// be the Token under a name of the client's own, or the whole request in another form.
func (m *Mask) Malformed(body []byte, echoes ...string) ([]byte, bool) {
	m.Collect(body, false)
	gather := jsonHiding{body: body, secrets: new(bytes.Buffer)}
	if !gather.walk() || gather.secrets.Len() > maxSecrets {
		return nil, false
	}
	h := jsonHiding{hiding: m.hiding(), body: body, loose: true, malformed: true}
	h.echoes = m.redactor.echoes(append(slices.Clip(echoes), gather.secrets.String()))
	return h.run()
}

// Document returns JSON with a fingerprint in the place of each text, name or number that holds a part of one of
// the credentials, or takes part in one that is cut over several. Without any it returns body itself; false if
// body is not one JSON value.
func (c *Credentials) Document(body []byte) ([]byte, bool) {
	h := jsonHiding{hiding: hiding{redactor: c.redactor, echoes: c}, body: body, bare: true}
	return h.run()
}

// Collect remembers the values of the fields in a body, before the body is kept.
func (m *Mask) Collect(body []byte, wellFormed bool) {
	if !m.empty() {
		h := jsonHiding{hiding: m.hiding(), body: body, loose: !wellFormed, collecting: true}
		h.walk() // a body that is no JSON is not kept, but what was read up to there may be quoted
	}
}

// jsonHiding hides what a body has.
type jsonHiding struct {
	hiding
	body []byte
	// loose: the body need not be of that shape. malformed: a request of unknown shape. bare: nothing
	// but credentials is replaced.
	loose, malformed, bare bool
	// collecting: the walk only reads the values of the fields. secrets, if it is not nil, collects the
	// credentials of the walk, which does nothing else.
	collecting bool
	secrets    *bytes.Buffer
}

// jsonPlace is how a value is treated.
type jsonPlace struct {
	secrecy secrecy
	field   *field // on the way to one that is hidden
}

// run returns the body without the hidden values.
func (h *jsonHiding) run() ([]byte, bool) {
	h.begin()
	if !h.walk() || !h.settle(h.walk, len(h.body)/16) {
		return nil, false
	}
	return h.kept(h.edits), true
}

func (h *jsonHiding) kept(edits []walk.Edit) []byte {
	return walk.Apply(h.body, edits, func(out, text []byte) []byte {
		return append(h.redactor.appendFingerprint(append(out, '"'), text), '"')
	})
}

func (h *jsonHiding) walk() bool {
	root := jsonPlace{field: h.mask.root()}
	if !h.bare && !bytes.HasPrefix(bytes.TrimLeft(h.body, " \t\r\n"), []byte("{")) {
		root.secrecy = secret // no body of the interface: it may hold anything
	}
	return walk.JSON(h.body, 1, root, h)
}

// Name returns the place of a member, after a look at its name.
func (h *jsonHiding) Name(in jsonPlace, name walk.Piece) (jsonPlace, bool) {
	text := name.Text()
	known := memberOf(text)
	switch {
	case h.collecting:
	case !h.bare && len(text) > maxName || h.repeats(text):
		h.replace(name, text)
	case known == nil:
		h.note(text, namePiece, name.From, name.To())
	}
	at := jsonPlace{secrecy: in.secrecy.in(known, text), field: h.mask.member(in.field, text, h.loose)}
	if h.malformed && at.secrecy == public && known == nil {
		at.secrecy = unknown
	}
	return at, at.field != nil && at.field.hidden
}

// Items returns the place of the items of a list.
func (h *jsonHiding) Items(list jsonPlace) jsonPlace {
	if list.secrecy == holder || list.secrecy == number {
		list.secrecy = secret // a list there can hold nothing else
	}
	return list
}

// Value hides a value, or notes what may be part of a credential.
func (h *jsonHiding) Value(at jsonPlace, value walk.Piece) {
	kind := value.Raw.Kind()
	if h.collecting {
		if at.field != nil && at.field.hidden {
			h.mask.collectValue(value.Raw)
		}
		return
	}
	var text []byte
	if kind == '"' {
		text = value.Text()
	}
	switch {
	case at.field != nil && at.field.hidden:
		if kind != 'n' {
			h.replace(value, text)
		}
	case !h.bare && at.secrecy.hides(value.Raw), kind == '"' && h.quotes(text):
		h.replace(value, text)
	case kind == '"':
		h.note(text, kindOf(text), value.From, value.To())
	case kind == '0':
		if text, kind := ofNumber(value.Raw); kind != 0 {
			h.note(text, kind, value.From, value.To())
		}
	}
}

// replace notes that a piece is not kept, nor its text, which is nil if it is no string.
func (h *jsonHiding) replace(p walk.Piece, text []byte) {
	if text == nil {
		text = p.Raw
	}
	if h.secrets != nil {
		h.secrets.Write(text)
		h.secrets.WriteByte(0)
		return
	}
	h.edits = append(h.edits, walk.Edit{From: p.From, To: p.To(), Text: text})
}
