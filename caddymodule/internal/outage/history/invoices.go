package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/environment"
	"github.com/fielato/fielato/caddymodule/internal/story"
	"github.com/fielato/fielato/wsfev1"
)

// Fate is what became of an invoice, by all that the trail knows by now.
type Fate string

// The fates.
const (
	// Later: it was issued after the outage, and During: while the outage lasted, which others than this
	// gateway noticed less of. Before: it had been issued before.
	Later  Fate = "issued_later"
	During Fate = "issued"
	Before Fate = "issued_before"
	// Recovered: it was issued, and the answer was recovered by asking the service.
	Recovered Fate = "recovered"
	// Unknown: a request may have been carried out. NotIssued: none was.
	Unknown   Fate = "unknown"
	NotIssued Fate = "not_issued"
)

// Fates are all fates.
var Fates = []Fate{Later, During, Recovered, Before, Unknown, NotIssued}

// Invoice is an invoice that was asked for in an outage.
type Invoice struct {
	Cuit         wsfev1.CUIT
	PtoVta, Tipo int32
	Number       int64
	// Attempts is how many requests of the outage asked for it.
	Attempts int
	Fate     Fate
	// By is the record that shows the fate: for one that was not issued the newest request.
	By story.Place
}

// Invoices are the invoices that were asked for in an outage, in the order of their numbers.
type Invoices struct {
	All []Invoice
	// Attempts is how many requests there were. Each counts once, however many invoices it has.
	Attempts int
	// Counts counts the invoices by their fate.
	Counts map[Fate]int
	// More: there were more than MaxInvoices, which are not told.
	More bool
}

// MaxInvoices bounds the invoices of an outage that are told.
const MaxInvoices = 2000

// Invoices returns the invoices of these issuers that were asked for in the outage, of all issuers if there are
// none. A request that the gateway refused for its content did not feel the outage, and neither did one for a
// service of another environment, which numbers its own invoices.
func (o *Outage) Invoices(ctx context.Context, store audit.Store, logs []string, cuits ...wsfev1.CUIT) (*Invoices, error) {
	since, err := o.asked(ctx, store)
	if err != nil {
		return nil, err
	}
	found := &Invoices{Counts: map[Fate]int{}}
	known := map[Invoice]int{}
	query := audit.Query{Since: since, Until: o.Ended, Cuits: cuits, SummaryOnly: true}
	for r, err := range audit.SearchLogs(ctx, store, logs, query) {
		if err != nil {
			return nil, fmt.Errorf("looking for what was asked for: %w", err)
		}
		if !asksForInvoices(r) || r.Time.Before(since) || o.isElsewhere(environment.Of(r)) {
			continue
		}
		found.Attempts++
		for _, v := range r.Vouchers {
			key := Invoice{Cuit: r.Cuit, PtoVta: r.PtoVta, Tipo: r.CbteTipo, Number: v.CbteDesde}
			at, ok := known[key]
			if !ok {
				if len(found.All) >= MaxInvoices {
					found.More = true
					continue
				}
				at, known[key] = len(found.All), len(found.All)
				key.By = story.Place{Log: r.Log, Index: r.Index}
				found.All = append(found.All, key)
			}
			found.All[at].Attempts++
		}
	}
	for i := range found.All {
		if err := o.judge(ctx, store, logs, &found.All[i], since); err != nil {
			return nil, err
		}
		found.Counts[found.All[i].Fate]++
	}
	slices.SortFunc(found.All, func(a, b Invoice) int {
		return cmp.Or(cmp.Compare(a.Cuit, b.Cuit), cmp.Compare(a.PtoVta, b.PtoVta), cmp.Compare(a.Tipo, b.Tipo), cmp.Compare(a.Number, b.Number))
	})
	return found, nil
}

// asked returns when the first request came that got no answer: before its failure was noticed.
func (o *Outage) asked(ctx context.Context, store audit.Store) (time.Time, error) {
	log, index, ok := audit.ParseAddress(o.First)
	if !ok {
		return o.Began, nil
	}
	r, err := store.Get(ctx, log, index)
	switch {
	case errors.Is(err, audit.ErrNotFound): // its log is not in this store
		return o.Began, nil
	case err != nil:
		return time.Time{}, fmt.Errorf("reading the first failure: %w", err)
	case r.Time.Before(o.Began):
		return r.Time, nil
	}
	return o.Began, nil
}

// isElsewhere reports whether an exchange was certainly with a service of another environment than the one that did
// not answer.
func (o *Outage) isElsewhere(of environment.Environment) bool {
	own := environment.Of(o.Record)
	return own != "" && of != "" && of != own
}

// asksForInvoices reports whether a record is a client's request for invoices, which the service was to answer.
func asksForInvoices(r *audit.Record) bool {
	if r.Kind == audit.KindSettlement || story.IsQuestion(r) || story.IsRepeat(r) || !story.Changes(r) || r.Cuit == 0 {
		return false
	}
	switch r.Outcome {
	case audit.OutcomeRefused, audit.OutcomeMalformed, audit.OutcomeInadmissible:
		return false
	}
	first, _ := story.Numbers(r)
	return first > 0
}

// judge finds out what became of an invoice.
func (o *Outage) judge(ctx context.Context, store audit.Store, logs []string, one *Invoice, since time.Time) error {
	entries, err := o.entries(ctx, store, logs, one)
	if err != nil {
		return err
	}
	one.Fate = NotIssued
	if open := story.OpenEntries(entries); len(open) > 0 {
		one.Fate, one.By = Unknown, open[len(open)-1].Place
	}
	for _, e := range entries {
		if !e.IsAuthorised() {
			continue
		}
		one.By = e.Place
		switch {
		case e.Kind == audit.KindSettlement || e.Outcome == audit.OutcomeRecovered:
			one.Fate = Recovered
		case e.Known().Before(since):
			one.Fate = Before
		case o.Lasts() || e.Began.Before(o.Ended):
			one.Fate = During
		default:
			one.Fate = Later
		}
		break
	}
	return nil
}

// entries returns the requests for an invoice that may have been with the service of the outage, and what settled them.
func (o *Outage) entries(ctx context.Context, store audit.Store, logs []string, one *Invoice) (entries []*story.Entry, err error) {
	query := audit.Query{Cuit: one.Cuit, PtoVta: one.PtoVta, CbteTipo: one.Tipo, Number: one.Number, SummaryOnly: true}
	for r, err := range audit.SearchLogs(ctx, store, logs, query) {
		if err != nil {
			return nil, fmt.Errorf("looking for what became of an invoice: %w", err)
		}
		if !story.IsQuestion(r) && !story.IsRepeat(r) && story.Changes(r) {
			if s := story.EntryOf(r, one.Number); !o.isElsewhere(s.Environment) {
				entries = append(entries, s)
			}
		}
	}
	for _, s := range story.OpenEntries(entries) {
		intent := &audit.Record{Log: s.Intent.Log, Index: s.Intent.Index, ID: s.ID}
		settlement, err := audit.SettlementAmong(ctx, store, logs, intent)
		if err != nil {
			return nil, err
		}
		if settlement != nil && !o.isElsewhere(environment.Of(settlement)) {
			entries = append(entries, story.EntryOf(settlement, one.Number))
		}
	}
	story.SortEntries(entries)
	return entries, nil
}
