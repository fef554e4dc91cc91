package search

import (
	"context"
	"fmt"

	"github.com/fielato/fielato/caddymodule/internal/console/site"
)

// search searches for a page. An invoice without its issuer or type is searched for in the whole log, for as long as
// mayGlance says; if that does not get through, issuers and types are guessed. Where everything is asked for, each
// record is looked at for as long as mayGo says.
func search(ctx context.Context, sources []site.Source, asked *request, from start, limit int, mayGo, mayGlance func() bool) (a answer, err error) {
	look := func(plan plan, mayGo func() bool) (a answer, err error) {
		f, err := newFinder(ctx, sources, asked, plan, from.at, mayGo)
		if err == nil {
			a, err = f.find(ctx, limit)
		}
		a.guessed, a.everything = plan.guessed, from.everything
		return a, err
	}
	guesses, err := planOf(ctx, sources, asked, from.everything)
	if err != nil || !guesses.guessed || from.at != nil {
		if err == nil {
			a, err = look(guesses, mayGo)
		}
		return a, err
	}
	from.everything = true
	whole, err := planOf(ctx, sources, asked, true)
	if err != nil {
		return a, err
	}
	whole.part = firstPart / 8
	seen, err := look(whole, mayGlance)
	if err != nil || !seen.cut {
		return seen, err
	}
	from.everything = false
	if a, err = look(guesses, mayGo); err != nil || len(a.records) > 0 || a.cut {
		return a, err
	}
	return seen, nil
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
