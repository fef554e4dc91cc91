package search

import (
	"context"
	"fmt"

	"github.com/fielato/fielato/caddymodule/console/site"
)

// search searches for a page. Issuers are guessed first where the reader names none; if that finds
// nothing at all, or everything is asked for, each record is looked at.
func search(ctx context.Context, sources []site.Source, asked *request, from start, limit int, mayGo func() bool) (a answer, err error) {
	for {
		plan, err := planOf(ctx, sources, asked, from.everything)
		if err != nil {
			return a, err
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
		from.everything = true
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
