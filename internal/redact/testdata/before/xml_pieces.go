package redact

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/fielato/fielato/wsfev1"
)

// nowhere is the place of a piece that cannot be replaced: a message that has a credential there is not kept.
const nowhere = -1

// reset begins a walk.
func (w *xmlRedaction) reset() {
	w.open = w.open[:0]
	if w.echoes != nil && len(w.echoes.texts) > 0 && w.pieces == nil {
		w.echoes.listen()
	}
}

// note notes a piece of the message.
func (w *xmlRedaction) note(text []byte, kind pieceKind, from, to int) {
	switch {
	case w.gathering || len(w.echoes.texts) == 0:
	case w.pieces == nil:
		w.echoes.joined.add(w.echoes, text, kind)
	default:
		w.pieces = append(w.pieces, piece{text: text, kind: kind, from: from, to: to})
	}
}

// noteText notes the text of an element whose content ends at to.
func (w *xmlRedaction) noteText(e *openElement, to int) {
	kind := kindOf(e.text)
	if e.number && kind&numberPiece != 0 {
		kind = numberPiece
	}
	if !e.parent {
		w.note(e.text, kind, e.content, to)
		return
	}
	w.noteBetween(e)
	w.note(e.text, kind, nowhere, nowhere)
}

// noteBetween notes the text that an element has before one within it, or after the last one.
func (w *xmlRedaction) noteBetween(e *openElement) {
	if text := e.text[e.noted:]; len(bytes.TrimSpace(text)) > 0 {
		w.note(text, kindOf(text), nowhere, nowhere)
	}
	e.noted = len(e.text)
}

// replacePieces replaces the pieces that hold a part of a credential, and reports whether all of them can be.
func (w *xmlRedaction) replacePieces() bool {
	w.echoes.echoes(w.pieces)
	for _, p := range w.pieces {
		switch {
		case !p.echo:
		case p.from == nowhere:
			return false
		default:
			w.replaced = append(w.replaced, replacement{p.from, p.to, p.text})
		}
	}
	slices.SortFunc(w.replaced, func(a, b replacement) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	end := 0
	w.replaced = slices.DeleteFunc(w.replaced, func(r replacement) bool { // drop replacements within another one
		within := r.to <= end
		end = max(end, r.to)
		return within
	})
	return true
}

// messageNames are the names of elements that are no members: SOAP's own and the operations.
var messageNames = func() map[string]bool {
	names := map[string]bool{"Envelope": true, "Header": true, "Body": true, "Fault": true}
	for _, op := range wsfev1.Operations {
		names[op.Name], names[op.Name+"Response"], names[op.Name+"Result"] = true, true, true
	}
	return names
}()

// numberNames are the names of members that are numbers wherever the interface has them.
var numberNames = func() map[string]bool {
	numbers := map[string]bool{}
	eachMember(func(name string, s *wsfev1.Shape) {
		number := s.Kind == wsfev1.KindInteger || s.Kind == wsfev1.KindAmount
		if before, known := numbers[name]; known {
			number = number && before
		}
		numbers[name] = number
	})
	return numbers
}()
