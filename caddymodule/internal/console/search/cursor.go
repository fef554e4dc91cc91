package search

import (
	"slices"
	"strings"

	"github.com/fielato/fielato/audit"
)

// cursor is a place in several logs: of each by its name the number of records that lie before it, which
// are still to be looked at. A log that it does not name has none of them.
//
// A moment would not do: two records may have the same, and within a log the records are ordered by their
// indexes.
type cursor map[string]uint64

// maxCursor bounds the text of a cursor, in bytes.
const maxCursor = 16 << 10

// parseCursor reads what String has written.
func parseCursor(text string) (cursor, bool) {
	c := cursor{}
	if text == "" || len(text) > maxCursor {
		return nil, false
	}
	for word := range strings.FieldsSeq(text) {
		key, n, ok := audit.ParseAddress(word)
		if !ok || n >= 1<<40 {
			return nil, false
		}
		c[key] = n
	}
	return c, true
}

// String returns the cursor as LOG/NUMBER, with spaces between several.
func (c cursor) String() string {
	var words []string
	for key, n := range c {
		words = append(words, audit.Address(key, n))
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}
