package mask

import (
	"cmp"
	"slices"

	"github.com/fielato/fielato/internal/mask/walk"
)

// maxSecrets bounds the bytes of a request of unknown shape that count as credentials: a client
// that writes a Token into every member must not make each of them be searched for it.
const maxSecrets = 64 << 10

// hiding is what walks over one document have found that is hidden. Nearly no document holds credentials
// elsewhere than in their members: another walk looks for them where all texts together say that one may be
// there.
type hiding struct {
	redactor *Redactor
	mask     *Mask        // nil if no fields are hidden
	echoes   *Credentials // nil if none are looked for
	// edits are the places that are not kept, with what stands there. pieces are what else may be part of
	// a credential; nil while it is only to be learned whether there is any.
	edits  []walk.Edit
	pieces []piece
	// first is room for the edits of most documents: Token and Sign.
	first [2]walk.Edit
}

// hiding returns what hides the mask's fields.
func (m *Mask) hiding() hiding {
	if m.empty() {
		return hiding{redactor: m.redactor}
	}
	return hiding{redactor: m.redactor, mask: m}
}

// begin begins to learn whether the document has any part of a credential.
func (h *hiding) begin() {
	if h.looks() {
		h.echoes.listen()
	}
}

// settle ends a walk, and reports whether the document can be kept with edits. room is how many pieces it may have.
func (h *hiding) settle(walk func() bool, room int) bool {
	if !h.looks() || !h.echoes.heard() {
		return true
	}
	h.edits, h.pieces = nil, make([]piece, 0, room)
	return walk() && h.replacePieces()
}

// looks reports whether a walk looks for credentials in texts.
func (h *hiding) looks() bool { return h.echoes != nil && len(h.echoes.texts) > 0 }

// note notes a piece, which may be part of a credential, if any are looked for.
func (h *hiding) note(text []byte, kind pieceKind, from, to int) {
	switch {
	case !h.looks():
	case h.pieces == nil:
		h.echoes.joined.add(h.echoes, text, kind)
	default:
		h.pieces = append(h.pieces, piece{text: text, kind: kind, from: from, to: to})
	}
}

// nowhere is the place of a piece that cannot be replaced: a document that has a credential there is not kept.
const nowhere = -1

// replacePieces replaces the pieces that hold a part of a credential, and reports whether all of them can be.
func (h *hiding) replacePieces() bool {
	h.echoes.echoes(h.pieces)
	for _, p := range h.pieces {
		switch {
		case !p.echo:
		case p.from == nowhere:
			return false
		default:
			h.edits = append(h.edits, walk.Edit{From: p.from, To: p.to, Text: p.text})
		}
	}
	slices.SortFunc(h.edits, func(a, b walk.Edit) int { return cmp.Or(a.From-b.From, b.To-a.To) })
	end := 0
	h.edits = slices.DeleteFunc(h.edits, func(e walk.Edit) bool { // drop those within another one
		within := e.To <= end
		end = max(end, e.To)
		return within
	})
	return true
}

// quotes reports whether a text quotes or names a field, and repeats whether it quotes one.
func (h *hiding) quotes(text []byte) bool  { return h.mask != nil && h.mask.quotes(string(text)) }
func (h *hiding) repeats(text []byte) bool { return h.mask != nil && h.mask.repeats(string(text)) }
