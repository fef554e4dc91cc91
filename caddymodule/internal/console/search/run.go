package search

import (
	"context"
	"fmt"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/console/site"
)

// glance is how long each record is looked at where nobody has asked for that: an invoice that is not
// there must not cost what a search through the whole log does.
const glance = 150 * time.Millisecond

// search searches for a page. Issuers are guessed first where the reader names none; if that finds
// nothing at all, each record is looked at for a short time, and for as long as mayGo says where everything
// is asked for.
func search(ctx context.Context, sources []site.Source, asked *request, from start, limit int, mayGo func() bool) (a answer, err error) {
	unasked := false
	for {
		plan, err := planOf(ctx, sources, asked, from.everything)
		if err != nil {
			return a, err
		}
		if unasked {
			plan.part = firstPart / 8
		}
		f, err := newFinder(ctx, sources, asked, plan, from.at, mayGo)
		if err != nil {
			return a, err
		}
		a, err = f.find(ctx, limit)
		a.guessed, a.everything = plan.guessed, from.everything
		if err != nil || !plan.guessed || len(a.records) > 0 || a.cut || from.at != nil {
			return a, err
		}
		from.everything, unasked, mayGo = true, true, within(glance)
	}
}

// start is where a search begins.
type start struct {
	// at is nil for the newest record.
	at cursor
	// everything: each record is looked at, and no issuer guessed.
	everything bool
}

// headsOf returns the cursor behind the newest record of each log, or of one.
func headsOf(ctx context.Context, sources []site.Source, only string) (cursor, error) {
	c := cursor{}
	err := eachLog(sources, func(source *site.Source, log, key string) error {
		if only != "" && only != log {
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
