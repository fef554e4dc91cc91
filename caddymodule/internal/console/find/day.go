package find

import (
	"time"

	"github.com/fielato/fielato/caddymodule/internal/when"
)

// readDay reads a day or a month, or two of them, both included.
func readDay(r *Request, words []string, now time.Time) int {
	if !r.Query.Since.IsZero() || !r.Query.Until.IsZero() {
		return 0
	}
	span, taken := when.Words(words, now)
	if taken == 1 && !isLikely(span.From, now) && readInvoice(&Request{}, words, now) == 1 {
		return 0 // 6-1-2002 is an invoice
	}
	if taken > 0 {
		r.Query.Since, r.Query.Until = span.From, span.To
	}
	return taken
}

// isLikely reports whether a day can be meant where an invoice can be, too: no gateway has older exchanges.
func isLikely(day, now time.Time) bool { return day.Year() >= 2020 && day.Year() <= now.Year()+1 }
