package evidence

import (
	"context"
	"fmt"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/trail"
)

// BuiltInSince returns when the built-in service first issued into a log; zero if it never did.
func BuiltInSince(ctx context.Context, store audit.Store, log string) (time.Time, error) {
	text, err := trail.InventedSince(ctx, store, log)
	if err != nil || text == "" {
		return time.Time{}, err
	}
	since, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("reading since when log %s has test invoices: %w", log, err)
	}
	return since, nil
}

// IsTestCode reports whether an answer with a code is the built-in service's. One that names no
// service was taken from a log: it is the built-in service's if that has issued into one of the
// logs before.
func IsTestCode(upstream string, known time.Time, since ...time.Time) bool {
	if upstream != "" {
		return upstream == trail.BuiltInUpstream
	}
	for _, t := range since {
		if !t.IsZero() && !known.Before(t) {
			return true
		}
	}
	return false
}
