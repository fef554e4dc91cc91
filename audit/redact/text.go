package redact

import (
	"hash/maphash"
	"slices"
	"strings"
)

// fragment is how much of a credential, in bytes, is taken for a leak in a text
// that may have cut or escaped it: an error's text, a pointer, a panic's value.
const fragment = 12

// Text returns the text, or a fingerprint in its place where a part of one of the
// credentials stands in it.
func (r *Redactor) Text(text string, credentials ...string) string {
	if len(text) < minEcho { // a verdict of one letter, in each exchange
		return text
	}
	return r.Credentials(credentials...).Text(text)
}

// Pointer returns the JSON Pointer with a fingerprint in the place of each step
// that is longer than any name of the interface or holds a part of one of the
// credentials: such a name is not the interface's.
func (r *Redactor) Pointer(pointer string, credentials ...string) string {
	return r.Credentials(credentials...).Pointer(pointer)
}

// Credentials looks for credentials in many texts. It indexes a long credential once, not again
// for each text. It is for one goroutine.
type Credentials struct {
	redactor *Redactor
	all      []credential
}

// Credentials returns what looks for these credentials.
func (r *Redactor) Credentials(texts ...string) *Credentials {
	c := &Credentials{redactor: r, all: make([]credential, len(texts))}
	for i, text := range texts {
		c.all[i].text = text
	}
	return c
}

// Text is Redactor.Text.
func (c *Credentials) Text(text string) string {
	if c.shareWith(text) {
		return c.redactor.Fingerprint([]byte(text))
	}
	return text
}

func (c *Credentials) shareWith(text string) bool {
	for i := range c.all {
		if c.all[i].sharesFragment(text) {
			return true
		}
	}
	return false
}

// Pointer is Redactor.Pointer.
func (c *Credentials) Pointer(pointer string) string {
	steps := strings.Split(pointer, "/")
	for i, step := range steps {
		step = unescapePointer.Replace(step)
		if kept := c.Text(step); kept != step {
			steps[i] = kept
		} else if len(step) > maxName {
			steps[i] = c.redactor.Fingerprint([]byte(step))
		}
	}
	return strings.Join(steps, "/")
}

var unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")

// credential is one that is looked for.
type credential struct {
	text string
	// searched is how many comparisons of a byte looking through it has taken at most.
	searched int
	// fragments are the hashes of all its fragments in ascending order, nil as long as
	// that is not worth while. A collision hides a text too many.
	fragments []uint64
}

// maxSearched is how long a credential is looked through before its fragments are
// hashed, in comparisons: a few texts and a ticket of the service stay below.
const maxSearched = 1 << 20

var fragmentSeed = maphash.MakeSeed()

// sharesFragment reports whether some fragment of the credential stands in the
// text; a credential shorter than a fragment counts as a whole.
func (c *credential) sharesFragment(text string) bool {
	n := min(fragment, len(c.text))
	if n < minEcho || len(text) < n {
		return false
	}
	if c.fragments == nil {
		if c.searched += len(text) * len(c.text); c.searched <= maxSearched {
			return share(text, c.text, n)
		}
		c.fragments = hashesOf(c.text, n)
	}
	for i := range len(text) - n + 1 {
		if _, found := slices.BinarySearch(c.fragments, maphash.String(fragmentSeed, text[i:i+n])); found {
			return true
		}
	}
	return false
}

// share reports whether two texts have n bytes in common.
func share(short, long string, n int) bool {
	if len(short) > len(long) {
		short, long = long, short
	}
	for i := range len(short) - n + 1 {
		if strings.Contains(long, short[i:i+n]) {
			return true
		}
	}
	return false
}

func hashesOf(text string, n int) []uint64 {
	hashes := make([]uint64, len(text)-n+1)
	for i := range hashes {
		hashes[i] = maphash.String(fragmentSeed, text[i:i+n])
	}
	slices.Sort(hashes)
	return slices.Compact(hashes)
}
