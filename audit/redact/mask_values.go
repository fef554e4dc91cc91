package redact

import (
	"slices"
	"strings"
)

// maxQuoted is how much of a value, in bytes, is looked for in texts: a text that
// repeats as much repeats the value.
const maxQuoted = 64

// values are looked for anywhere in a text, all at once: a lot has thousands of them,
// and thousands of texts.
type values struct {
	all map[string]bool
	// sorted are those of all that do not begin with another one, nil if that is still
	// to be found out; first tells with which bytes they begin.
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

// standIn reports whether some value stands in the text. The one with which a part of the
// text begins is the last of those that do not come after it in the order of the alphabet:
// one between the two would begin with it.
func (v *values) standIn(text string) bool {
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
