package search

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/story/read"
	"github.com/fielato/fielato/wsfev1"
)

const (
	// recent is how many records of each log are asked for their issuers, where the reader names none.
	recent = 400
	// maxQueries bounds the searches for one invoice: issuers × types.
	maxQueries = 72
	// combined is how many records the first part of such a search has. Most of them are not looked at;
	// but of a series with invoices for ranges of numbers all are.
	combined = 64 << 10
)

// plan is how to search for a request.
//
// The stores find an invoice at once by its issuer, point of sale, type and number together. People have
// it on paper as "B 0001-00000123": the class stands for several types, and the issuer is one of a few.
// So all combinations are searched, instead of looking at each record.
type plan struct {
	// queries are searched together.
	queries []audit.Query
	// part is how many records the first part of the search has.
	part uint64
	// types are those that a record must be of, where the queries do not say it.
	types []int32
	// guessed: issuers that the reader did not name were tried, or types, so there may be more.
	guessed bool
}

// planOf returns how to search. With everything, no issuer or type is guessed.
func planOf(ctx context.Context, sources []site.Source, asked *request, everything bool) (plan, error) {
	q := asked.Query
	p := plan{queries: []audit.Query{q}, part: firstPart, types: asked.Types}
	if q.ID != "" || q.Code != "" || !q.TraceID.IsZero() {
		p.part = wholeLog
		return p, nil
	}
	if q.PtoVta == 0 || q.Number == 0 {
		return p, nil
	}
	named := q.Cuit != 0 && (q.CbteTipo != 0 || len(asked.Types) > 0)
	if everything && !named {
		return p, nil
	}
	issuers, err := issuersOf(ctx, sources, asked)
	if err != nil || len(issuers) == 0 {
		return p, err
	}
	types := typesOf(asked)
	p = plan{part: combined, guessed: !named}
	for _, issuer := range issuers[:min(len(issuers), max(1, maxQueries/len(types)))] {
		for _, kind := range types {
			q.Cuit, q.CbteTipo = issuer, kind
			p.queries = append(p.queries, q)
		}
	}
	return p, nil
}

// typesOf returns the types of voucher that are meant.
func typesOf(asked *request) []int32 {
	switch {
	case asked.Query.CbteTipo != 0:
		return []int32{asked.Query.CbteTipo}
	case len(asked.Types) > 0:
		return asked.Types
	}
	return wsfev1.VoucherTypes()
}

// issuersOf returns the issuer of the request, or else the issuers in the newest records, the most frequent
// first.
func issuersOf(ctx context.Context, sources []site.Source, asked *request) ([]wsfev1.CUIT, error) {
	if asked.Query.Cuit != 0 {
		return []wsfev1.CUIT{asked.Query.Cuit}, nil
	}
	counts := map[wsfev1.CUIT]int{}
	err := eachLog(sources, func(source *site.Source, log, _ string) error {
		newest, err := newestOf(ctx, source, log)
		if err != nil {
			return err
		}
		for record, err := range source.Store.Search(ctx, newest) {
			if err != nil {
				return fmt.Errorf("searching: %w", err)
			}
			if record.Cuit != 0 {
				counts[record.Cuit]++
			}
		}
		return nil
	})
	return slices.SortedFunc(maps.Keys(counts), func(a, b wsfev1.CUIT) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	}), err
}

// newestOf returns the query for the newest records of a log. Between the records of a reader who may see some
// there may be any number of others, so that theirs are counted.
func newestOf(ctx context.Context, source *site.Source, log string) (audit.Query, error) {
	if source.IsBound() {
		return audit.Query{Log: log, Limit: recent}, nil
	}
	head, err := source.Store.Head(ctx, log)
	if err != nil {
		return audit.Query{}, fmt.Errorf("reading the head of log %s: %w", log, err)
	}
	return audit.Query{Log: log, From: head.Size - min(head.Size, recent)}, nil
}

// fitsIn returns the condition that the queries do not have, nil for none.
func (p *plan) fitsIn(ctx context.Context, source *site.Source) func(*audit.Record) (bool, error) {
	if len(p.types) == 0 {
		return nil
	}
	return func(record *audit.Record) (bool, error) {
		if record.CbteTipo != 0 || record.Kind != audit.KindOutcome {
			return slices.Contains(p.types, record.CbteTipo), nil
		}
		x, err := read.Found(ctx, source.Store, record)
		return err == nil && slices.Contains(p.types, x.Request().CbteTipo), err
	}
}
