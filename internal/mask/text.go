package mask

import (
	"math"
	"slices"
	"strings"

	"github.com/fielato/fielato/internal/mask/forms"
	"github.com/fielato/fielato/internal/mask/needles"
)

// Text returns the text, or a fingerprint in its place where a part of one of the
// credentials stands in it, in any of the forms in which programs quote a text.
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

// minRun is how much of a credential counts as an echo of it, in characters of base64.
const minRun = forms.MinRun

// Credentials looks for parts of credentials in many texts, bodies and headers. It is the one place that
// does. It is for one goroutine.
//
// A part counts from minRun characters on, in any of the forms that package forms lists, and of the document
// that a Token is in base64 from 48 on. A credential that is shorter counts as a whole, and as it
// is, from minEcho bytes on.
type Credentials struct {
	redactor *Redactor
	texts    []string
	// haystack is made when the first text is looked at that could hold one: most bodies have none.
	// short are the credentials of fewer characters than count.
	haystack *needles.Haystack
	short    []string
	// most is how much of the beginning and of the end of a credential is looked for, in bytes.
	most   int
	forms  *forms.Search
	joined *joined // nil between documents
}

// Credentials returns what looks for these credentials.
func (r *Redactor) Credentials(texts ...string) *Credentials {
	return &Credentials{redactor: r, texts: texts, most: math.MaxInt / 2}
}

// echoes is Credentials for one body, of which there are many in a request that sends megabytes as a Token.
func (r *Redactor) echoes(credentials []string) *Credentials {
	return &Credentials{redactor: r, texts: credentials, most: needles.MaxEchoed}
}

// In reports whether a part of a credential stands in the text.
func (c *Credentials) In(text string) bool {
	return len(text) >= minEcho && c.in([]byte(text))
}

func (c *Credentials) in(text []byte) bool {
	switch {
	case c == nil || len(c.texts) == 0 || len(text) < minEcho:
		return false
	case isFigure(text):
		return c.isShort(text)
	}
	if c.haystack == nil {
		c.prepare()
	}
	if len(c.short) == 0 && (len(text) < minRun || c.haystack.Empty()) {
		return false
	}
	return c.forms.In(text, c.inForm)
}

// has reports whether a text is one of the credentials.
func (c *Credentials) has(text []byte) bool {
	return slices.ContainsFunc(c.texts, func(credential string) bool { return credential == string(text) })
}

// isShort reports whether a figure holds a credential that is one.
func (c *Credentials) isShort(figure []byte) bool {
	for _, text := range c.texts {
		if len(text) >= minEcho && len(text) <= len(figure) && strings.Contains(string(figure), text) {
			return true
		}
	}
	return false
}

func (c *Credentials) prepare() {
	c.haystack, c.forms = needles.New(c.texts, c.most), new(forms.Search)
	for _, text := range c.texts {
		if len(text) < minEcho || len(text) > maxShort {
			continue
		}
		if needles.IsShort(text) {
			c.short = append(c.short, text)
		}
	}
}

// maxShort is how long a credential with few letters and digits may be.
const maxShort = 64

// inForm reports whether a part of a credential stands in one form of a text.
func (c *Credentials) inForm(text []byte) bool {
	if c.haystack.In(text) {
		return true
	}
	for _, short := range c.short {
		if strings.Contains(string(text), short) {
			return true
		}
	}
	return false
}

// Text is Redactor.Text.
func (c *Credentials) Text(text string) string {
	if c.In(text) {
		return c.redactor.Fingerprint([]byte(text))
	}
	return text
}
