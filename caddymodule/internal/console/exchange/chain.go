package exchange

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/mask"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/story"
)

// maxAsked is how many questions of the gateway are read.
const maxAsked = 40

// chainOf reads the exchange of a record.
func chainOf(ctx context.Context, source *site.Source, log string, index uint64) (*story.Exchange, error) {
	c, err := source.ExchangeAt(ctx, log, index)
	if err != nil {
		return nil, err
	}
	switch c.At.Kind {
	case audit.KindAccess, audit.KindOutage:
		return c, nil
	case audit.KindExchange:
		if story.IsQuestion(c.At) {
			c.Asker, err = first(ctx, source, c.Intent, audit.Query{ID: c.At.ID, Kind: audit.KindOutcome})
			if c.Asker == nil && err == nil {
				c.Asker, err = first(ctx, source, c.Intent, audit.Query{ID: c.At.ID, Kind: audit.KindIntent})
			}
			return c, err
		}
		c.Outcome = c.At
		return c, nil
	case audit.KindIntent:
		c.Intent = c.At
	case audit.KindOutcome:
		c.Outcome = c.At
	case audit.KindSettlement:
		c.Settlement = c.At
	}
	return c, complete(ctx, source, c)
}

// complete reads the other records of an intent.
func complete(ctx context.Context, source *site.Source, c *story.Exchange) (err error) {
	id := c.Intent.ID
	if c.Outcome == nil {
		if c.Outcome, err = first(ctx, source, c.Intent, audit.Query{ID: id, Kind: audit.KindOutcome}); err != nil {
			return err
		}
	}
	if c.Settlement == nil {
		if c.Settlement, err = first(ctx, source, c.Intent, audit.Query{ID: id, Kind: audit.KindSettlement}); err != nil {
			return err
		}
	}
	for r, err := range audit.SearchLogs(ctx, source.Store, source.Logs, audit.Query{ID: id, Decision: audit.DecisionAsk}) {
		if err != nil {
			return fmt.Errorf("looking for the questions about record %s: %w", c.Intent.Address(), err)
		}
		if c.AskedBefore = len(c.Asked) == maxAsked; c.AskedBefore {
			break
		}
		c.Asked = append(c.Asked, r)
	}
	slices.Reverse(c.Asked)
	return nil
}

// first returns the newest record of the exchange that matches, nil for none. A record that links to an
// intent is only this exchange's if it links to this intent.
func first(ctx context.Context, source *site.Source, intent *audit.Record, query audit.Query) (*audit.Record, error) {
	looked := 0
	for r, err := range audit.SearchLogs(ctx, source.Store, source.Logs, query) {
		if err != nil {
			return nil, fmt.Errorf("looking for the records of exchange %s: %w", query.ID, err)
		}
		if intent == nil || cmp.Or(r.IntentLog, r.Log) == intent.Log && r.Intent == intent.Index {
			return r, nil
		}
		if looked++; looked == maxAsked {
			break
		}
	}
	return nil, nil
}

// maskOf returns what hides the documents that any record of the exchange holds.
func maskOf(c *story.Exchange) *mask.Mask {
	return mask.Of(c.At.Cuit, append(append(c.Records(), c.Asker), c.Asked...)...)
}
