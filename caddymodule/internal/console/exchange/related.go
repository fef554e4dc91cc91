package exchange

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/story"
)

// How many records are read to find related ones.
const (
	maxRepeats  = 20
	maxLooked   = 50
	maxOutages  = 40
	maxSameName = 20
)

// related is what else belongs to an exchange.
type related struct {
	// origin is the address of the record whose answer was given again; empty for none.
	origin string
	story.Around
	// previous and next are about the neighbours in the series.
	previous, next *audit.Record
	// number is one of the exchange. approved is about another exchange, which authorised it; refused are
	// about earlier ones that did not, where this exchange did.
	number   int64
	approved *audit.Record
	refused  []*audit.Record
}

// relatedTo looks for what belongs to an exchange.
func relatedTo(ctx context.Context, source *site.Source, c *story.Exchange) (*related, error) {
	a := &related{origin: story.OriginOf(c.At)}
	for _, look := range []func(context.Context, *site.Source, *story.Exchange) error{a.findRepeats, a.findNeighbours, a.findAttempts, a.findOutages} {
		if err := look(ctx, source, c); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// findRepeats finds the repeats: they are about the same invoices and have the fingerprint of what came or of what was sent.
func (a *related) findRepeats(ctx context.Context, source *site.Source, c *story.Exchange) error {
	r := c.Request()
	query := audit.Query{Cuit: r.Cuit, PtoVta: r.PtoVta, CbteTipo: r.CbteTipo, Operation: r.Operation, Decision: audit.DecisionReplay}
	first, _ := story.Numbers(r)
	switch {
	case story.IsQuestion(r) || r.Decision == audit.DecisionReplay || r.Fingerprint == ([16]byte{}) || r.Cuit == 0:
		return nil
	case first > 0:
		query.Number = first
	case story.FirstCode(c.Result()) != "":
		query.Code = story.FirstCode(c.Result())
	default:
		return nil
	}
	looked := 0
	for one, err := range audit.SearchLogs(ctx, source.Store, source.Logs, query) {
		if err != nil {
			return fmt.Errorf("looking for repeats: %w", err)
		}
		if one.ID != r.ID && (one.Fingerprint == r.Fingerprint || one.Fingerprint == r.SentFingerprint) {
			a.Repeats = append(a.Repeats, one)
		}
		if looked++; len(a.Repeats) == maxRepeats || looked == maxLooked {
			break
		}
	}
	return nil
}

// findNeighbours finds the invoices before and after in the series.
func (a *related) findNeighbours(ctx context.Context, source *site.Source, c *story.Exchange) (err error) {
	first, last := story.Numbers(c.At)
	if first == 0 || c.At.Cuit == 0 || c.At.PtoVta == 0 || c.At.CbteTipo == 0 {
		return nil
	}
	if first > 1 {
		if a.previous, err = invoiceAt(ctx, source, c.At, first-1); err != nil {
			return err
		}
	}
	a.next, err = invoiceAt(ctx, source, c.At, last+1)
	return err
}

// invoiceAt returns the record that shows best what became of a number of the same series: the one that
// authorised it, else the newest that tried; nil for none.
func invoiceAt(ctx context.Context, source *site.Source, of *audit.Record, number int64) (best *audit.Record, err error) {
	looked := 0
	query := audit.Query{Cuit: of.Cuit, PtoVta: of.PtoVta, CbteTipo: of.CbteTipo, Number: number}
	for r, err := range audit.SearchLogs(ctx, source.Store, source.Logs, query) {
		if err != nil {
			return nil, fmt.Errorf("looking for number %d of the series: %w", number, err)
		}
		if story.Changes(r) && r.Decision != audit.DecisionReplay && story.Authorises(r, number) {
			return r, nil
		}
		if best == nil && story.Changes(r) {
			best = r
		}
		if looked++; looked == maxSameName {
			return authorised(ctx, source, query, best)
		}
	}
	return best, nil
}

// authorised returns the newest record that authorised the number of the query, or else another one.
func authorised(ctx context.Context, source *site.Source, query audit.Query, other *audit.Record) (*audit.Record, error) {
	var newest *audit.Record
	for _, query.Outcome = range story.Authorising {
		looked := 0
		for r, err := range audit.SearchLogs(ctx, source.Store, source.Logs, query) {
			if err != nil {
				return nil, fmt.Errorf("looking for the approval of number %d of the series: %w", query.Number, err)
			}
			if story.Changes(r) && r.Decision != audit.DecisionReplay && story.Authorises(r, query.Number) {
				if newest == nil || r.Time.After(newest.Time) {
					newest = r
				}
				break
			}
			if looked++; looked == maxLooked {
				break
			}
		}
	}
	return cmp.Or(newest, other), nil
}

// findOutages finds the outages that the exchange fell into: the outages in its log that had begun before
// it ended, and had not ended before it began.
func (a *related) findOutages(ctx context.Context, source *site.Source, c *story.Exchange) error {
	if !c.FeelsOutage() {
		return nil
	}
	began, ended := c.Request().Time, c.Ended()
	var records []*audit.Record
	for r, err := range source.Store.Search(ctx, audit.Query{Log: c.Request().Log, Kind: audit.KindOutage, Until: ended.Add(time.Microsecond)}) {
		if err != nil {
			return fmt.Errorf("looking for outages: %w", err)
		}
		if records = append(records, r); len(records) == maxOutages {
			break
		}
	}
	for _, o := range story.OutagesOf(records) {
		if o.During(began, ended) {
			a.Outages = append(a.Outages, o)
		}
	}
	return nil
}

// recordAddress reads the address of a record, log/index.
func (p *exchangePage) recordAddress(address string) string {
	log, index, ok := audit.ParseAddress(address)
	if !ok {
		return ""
	}
	return p.AddressOf(log, index)
}
