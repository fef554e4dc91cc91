package mask

import (
	"bytes"
	"slices"

	"github.com/fielato/fielato/internal/mask/walk"
)

// plain is run for a body that is known to be of its operation's shape, as nearly all are. Its credentials then
// stand where the shape has them, or in texts that echo them: where it holds no escapes, so that a
// credential looks as it is, a look at its texts alone tells that there are no echoes. It returns false if there
// may be one.
func (h *jsonHiding) plain() ([]byte, bool) {
	isOdd := func(credential string) bool { return len(credential) < minEcho || memberOf([]byte(credential)) != nil }
	if bytes.IndexByte(h.body, '\\') >= 0 || slices.ContainsFunc(h.echoes.texts, isOdd) {
		return nil, false
	}
	if !h.looks() {
		return h.body, true
	}
	h.begin()
	h.edits = h.first[:0]
	h.lookAtTexts()
	edits := h.edits
	h.edits = nil
	if h.echoes.heard() {
		return nil, false
	}
	return h.kept(edits), true
}

// lookAtTexts replaces the texts that are a credential, and notes the others and the codes of messages: a body of
// the interface has no other numbers that follow each other without a text between.
func (h *jsonHiding) lookAtTexts() {
	for at := 0; ; {
		start := bytes.IndexByte(h.body[at:], '"') + 1
		end := bytes.IndexByte(h.body[at+start:], '"')
		if start == 0 || end < 0 {
			return
		}
		start += at
		end += start
		text, after := h.body[start:end], h.body[end+1:]
		at = end + 1
		switch {
		case isName(after): // no credential is one, as plain has seen
			if string(text) == "Code" {
				h.noteCode(after)
			}
		case h.echoes.has(text):
			h.edits = append(h.edits, walk.Edit{From: start - 1, To: end + 1, Text: text})
		case len(text) > 0:
			h.echoes.joined.add(h.echoes, text, kindOf(text))
		}
	}
}

// noteCode notes the code of a message, which stands behind its name, if it can be a byte.
func (h *jsonHiding) noteCode(after []byte) {
	after = bytes.TrimLeft(after, ": \t\r\n")
	digits := 0
	for digits < min(len(after), len("255")+1) && after[digits]-'0' < 10 {
		digits++
	}
	if isByte(after[:digits]) {
		h.echoes.joined.add(h.echoes, after[:digits], numberPiece)
	}
}

// isName reports whether what comes after a text shows that it was a member's name.
func isName(after []byte) bool {
	return len(after) > 0 && (after[0] == ':' || after[0] <= ' ' && bytes.HasPrefix(bytes.TrimLeft(after, " \t\r\n"), []byte(":")))
}
