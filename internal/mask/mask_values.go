package mask

import (
	"slices"
	"strings"
)

// maxQuoted is how much of a value, in bytes, is looked for in texts: a text that
// repeats as much repeats the value.
const maxQuoted = 64

// values are looked for anywhere in a text, all at once: a lot has thousands of values and
// thousands of texts.
type values struct {
	all map[string]bool
	// sorted are the values that do not begin with another one, nil if they are not yet known.
	// first holds the bytes that they begin with.
	sorted []string
	first  [256]bool
}

func (v *values) add(value string) {
	if value = value[:min(len(value), maxQuoted)]; !v.all[value] {
		v.all[value] = true
		v.first[value[0]] = true
		v.sorted = nil
	}
}

// occurIn reports whether some value stands in the text. The value that a part of the text
// begins with is the last one that does not come after it in alphabetical order: one between
// the two would begin with it.
func (v *values) occurIn(text string) bool {
	if v.sorted == nil {
		v.sort()
	}
	for i := range len(text) {
		if !v.first[text[i]] {
			continue
		}
		n, same := slices.BinarySearch(v.sorted, text[i:])
		if same || n > 0 && strings.HasPrefix(text[i:], v.sorted[n-1]) {
			return true
		}
	}
	return false
}

func (v *values) sort() {
	v.sorted = make([]string, 0, len(v.all))
	for value := range v.all {
		v.sorted = append(v.sorted, value)
	}
	slices.Sort(v.sorted)
	kept := v.sorted[:0]
	for _, value := range v.sorted {
		if len(kept) == 0 || !strings.HasPrefix(value, kept[len(kept)-1]) {
			kept = append(kept, value)
		}
	}
	v.sorted = kept
}
