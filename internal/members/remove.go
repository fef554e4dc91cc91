package members

import (
	"slices"

	"github.com/fielato/fielato/internal/mask/walk"
)

// Remove returns a text without the members of these names in the object that a pointer names, with all other bytes
// as they were. A text that is not JSON, or does not have one such object, is returned as it is.
func Remove(text []byte, object string, names ...string) []byte {
	f := newFinder(text)
	f.want(object + "/") // so that the object is looked into
	f.listed = object
	if f.value("") != nil || f.isTwice(object) {
		return text
	}
	var edits []walk.Edit
	last := -1 // of those that stay
	for i, one := range f.list {
		if !slices.Contains(names, one.named) {
			last = i
		}
	}
	for i, one := range f.list {
		edit := walk.Edit{From: one.from, To: one.to}
		switch {
		case !slices.Contains(names, one.named):
			continue
		case i < last: // up to the next member, with the comma
			edit.To = f.list[i+1].from
		case i > 0: // with the comma before it
			edit.From = f.list[i-1].to
		}
		edits = append(edits, edit)
	}
	if n := len(f.list); last < 0 && n > 0 { // none stays
		edits = []walk.Edit{{From: f.list[0].from, To: f.list[n-1].to}}
	}
	return walk.Apply(text, edits, Write)
}

// Write writes the text of an edit, for walk.Apply.
func Write(out, text []byte) []byte { return append(out, text...) }
