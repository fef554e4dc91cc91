package search

import (
	"slices"
	"strconv"
	"strings"
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
		slash := strings.LastIndexByte(word, '/')
		if slash < 1 {
			return nil, false
		}
		n, err := strconv.ParseUint(word[slash+1:], 10, 40)
		if err != nil {
			return nil, false
		}
		c[word[:slash]] = n
	}
	return c, true
}

// String returns the cursor as LOG/NUMBER, with spaces between several.
func (c cursor) String() string {
	var words []string
	for key, n := range c {
		words = append(words, key+"/"+strconv.FormatUint(n, 10))
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}
