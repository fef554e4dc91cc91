package listing

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
)

// Cursor is a place in several logs: of each by its name the number of records that lie before it, which
// are still to be looked at. A log that it does not name has none of them.
//
// A moment would not do: two records may have the same, and within a log the records are ordered by their
// indexes.
type Cursor map[string]uint64

// maxCursor bounds the text of a cursor, in bytes.
const maxCursor = 16 << 10

// ParseCursor reads what String has written.
func ParseCursor(text string) (Cursor, bool) {
	c := Cursor{}
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
func (c Cursor) String() string {
	var words []string
	for key, n := range c {
		words = append(words, audit.Address(key, n))
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

// HeadsOf returns the cursor behind the newest record of each log, or of one.
func HeadsOf(ctx context.Context, sources []site.Source, only string) (Cursor, error) {
	c := Cursor{}
	err := EachLog(sources, func(source *site.Source, log, key string) error {
		if only != "" && only != key {
			return nil
		}
		head, err := source.Store.Head(ctx, log)
		if err != nil {
			return fmt.Errorf("reading the head of log %s: %w", log, err)
		}
		c[key] = head.Size
		return nil
	})
	return c, err
}

// Place is where a page begins. The zero Place is the newest record.
type Place struct {
	At Cursor
	// Skip is how many invoices of the record that comes next were listed before: a lot may have more than a page.
	Skip int
	// Top is where a list of invoices began. An invoice stands in the place of its newest record before that, whatever
	// comes while somebody turns the pages.
	Top Cursor
}

// maxSkip is more invoices than a lot has.
const maxSkip = 1 << 20

// ParsePlace reads the parameters of a page.
func ParsePlace(values url.Values) (at Place, ok bool) {
	text := values.Get("at")
	if text == "" {
		return Place{}, true
	}
	text, skip, skips := strings.Cut(text, "+")
	if skips {
		if at.Skip, _ = strconv.Atoi(skip); at.Skip <= 0 || at.Skip > maxSkip {
			return Place{}, false
		}
	}
	if at.At, ok = ParseCursor(text); !ok {
		return Place{}, false
	}
	if at.Top = at.At; values.Has("top") {
		at.Top, ok = ParseCursor(values.Get("top"))
	}
	return at, ok
}

// IsNewest reports whether the place is the newest record. As the rest of an answer it says that there is none.
func (p Place) IsNewest() bool { return len(p.At) == 0 }

// String returns the place without its top: a cursor, and +INVOICES behind it.
func (p Place) String() string {
	switch {
	case p.IsNewest():
		return ""
	case p.Skip == 0:
		return p.At.String()
	}
	return p.At.String() + "+" + strconv.Itoa(p.Skip)
}
