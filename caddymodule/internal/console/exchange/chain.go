package exchange

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/mask"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
)

// maxAsked is how many questions of the gateway are read.
const maxAsked = 40

// chain is an exchange with all its records. One that is not there is nil.
type chain struct {
	// at is the record whose address is shown.
	at *audit.Record
	// intent is the request before it was sent. outcome is the client's answer, also the one record of an
	// exchange without an intent. settlement was found out later.
	intent, outcome, settlement *audit.Record
	// asked are questions of the gateway about it, oldest first. askedBefore: there are older ones.
	asked       []*audit.Record
	askedBefore bool
	// asker is the exchange that a question of the gateway is about.
	asker *audit.Record
}

// result returns the record with the newest state: the record at the address, or for an intent its outcome
// or settlement.
func (c *chain) result() *audit.Record {
	if c.at.Kind != audit.KindIntent {
		return c.at
	}
	return cmp.Or(c.outcome, c.settlement, c.at)
}

// request returns the record that holds the request.
func (c *chain) request() *audit.Record { return cmp.Or(c.intent, c.at) }

// all returns the records, each once, without the questions.
func (c *chain) all() (all []*audit.Record) {
	for _, r := range []*audit.Record{c.at, c.intent, c.outcome, c.settlement} {
		if r != nil && !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	return all
}

// isOwn reports whether the gateway asked on its own account.
func isOwn(r *audit.Record) bool { return r.Decision == audit.DecisionAsk }

// chainOf reads the exchange of a record.
func chainOf(ctx context.Context, source *site.Source, log string, index uint64) (*chain, error) {
	x, err := source.ExchangeAt(ctx, log, index)
	if err != nil {
		return nil, err
	}
	c := &chain{at: x.Record, intent: x.Intent}
	switch c.at.Kind {
	case audit.KindAccess, audit.KindOutage:
		return c, nil
	case audit.KindExchange:
		if isOwn(c.at) {
			c.asker, err = c.first(ctx, source, audit.Query{ID: c.at.ID, Kind: audit.KindOutcome})
			if c.asker == nil && err == nil {
				c.asker, err = c.first(ctx, source, audit.Query{ID: c.at.ID, Kind: audit.KindIntent})
			}
			return c, err
		}
		c.outcome = c.at
		return c, nil
	case audit.KindIntent:
		c.intent = c.at
	case audit.KindOutcome:
		c.outcome = c.at
	case audit.KindSettlement:
		c.settlement = c.at
	}
	return c, c.complete(ctx, source)
}

// complete reads the other records of an intent.
func (c *chain) complete(ctx context.Context, source *site.Source) (err error) {
	id := c.intent.ID
	if c.outcome == nil {
		if c.outcome, err = c.first(ctx, source, audit.Query{ID: id, Kind: audit.KindOutcome}); err != nil {
			return err
		}
	}
	if c.settlement == nil {
		if c.settlement, err = c.first(ctx, source, audit.Query{ID: id, Kind: audit.KindSettlement}); err != nil {
			return err
		}
	}
	for r, err := range audit.SearchLogs(ctx, source.Store, source.Logs, audit.Query{ID: id, Decision: audit.DecisionAsk}) {
		if err != nil {
			return fmt.Errorf("looking for the questions about record %s: %w", c.intent.Address(), err)
		}
		if c.askedBefore = len(c.asked) == maxAsked; c.askedBefore {
			break
		}
		c.asked = append(c.asked, r)
	}
	slices.Reverse(c.asked)
	return nil
}

// first returns the newest record of the exchange that matches, nil for none. A record that links to an
// intent is only this exchange's if it links to this intent.
func (c *chain) first(ctx context.Context, source *site.Source, query audit.Query) (*audit.Record, error) {
	looked := 0
	for r, err := range audit.SearchLogs(ctx, source.Store, source.Logs, query) {
		if err != nil {
			return nil, fmt.Errorf("looking for the records of exchange %s: %w", query.ID, err)
		}
		if c.intent == nil || cmp.Or(r.IntentLog, r.Log) == c.intent.Log && r.Intent == c.intent.Index {
			return r, nil
		}
		if looked++; looked == maxAsked {
			break
		}
	}
	return nil, nil
}

// maskOf returns what hides the documents that any record of the exchange holds.
func maskOf(c *chain) *mask.Mask {
	return mask.Of(c.at.Cuit, append(append(c.all(), c.asker), c.asked...)...)
}
