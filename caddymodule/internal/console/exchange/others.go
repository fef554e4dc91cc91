package exchange

import (
	"context"
	"errors"
	"fmt"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/story"
)

// hideOthers leaves out what a record says of another one that the reader may not see. An answer about a table is given
// again to all issuers, and so is the reason why there is none.
func hideOthers(ctx context.Context, source *site.Source, c *story.Exchange) error {
	if !source.IsBound() {
		return nil
	}
	known := map[*audit.Record]*audit.Record{nil: nil}
	for _, place := range []**audit.Record{&c.At, &c.Intent, &c.Outcome, &c.Settlement} {
		shown, ok := known[*place]
		if !ok {
			var err error
			if shown, err = withoutOthers(ctx, source, *place); err != nil {
				return err
			}
			known[*place] = shown
		}
		*place = shown
	}
	return nil
}

// withoutOthers returns the record, or a copy that names no other one.
func withoutOthers(ctx context.Context, source *site.Source, r *audit.Record) (*audit.Record, error) {
	for _, address := range story.NamedBy(r) {
		log, index, ok := audit.ParseAddress(address)
		if !ok {
			continue
		}
		switch _, err := source.Store.Get(ctx, log, index); {
		case errors.Is(err, audit.ErrNotFound):
			plain := *r
			plain.Origin, plain.Detail = "", ""
			return &plain, nil
		case err != nil:
			return nil, fmt.Errorf("reading the record %s: %w", address, err)
		}
	}
	return r, nil
}
