// Package read reads the exchanges that package story tells of from a store, for all its faces.
//
// An exchange has up to three records beside the gateway's own questions, and any of them leads to the others:
//   - An outcome and a settlement name the place of their intent. A record that has the same identifier and
//     names another intent is no part of the exchange.
//   - The outcome is in the log of the intent. The settlement may be in any log: another gateway may have
//     asked the service.
//   - Only an outcome that leaves open what the service has done has a settlement (story.LeavesOpen). After
//     any other, nothing is looked for.
//   - A question has the identifier of the exchange that it is about, and may be in any log.
//
// A purge takes the content of records, never the links. Every search goes by the identifier; none reads a
// whole log.
package read

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/damage"
	"github.com/fielato/fielato/caddymodule/internal/story"
)

// Reader reads exchanges from a store. It is for one goroutine.
type Reader struct {
	Store audit.Store
	// Logs are the logs that are searched beside the log of the intent. Nil stands for all logs of the store,
	// which are listed when they are first needed.
	Logs []string
	// Most is how many questions are read, and how many records are looked at for an outcome; 0 for no bound.
	Most int
}

// Whole returns the exchange of the record at this place with all its records and questions. The error wraps
// audit.ErrNotFound if there is no such record.
func (r *Reader) Whole(ctx context.Context, log string, index uint64) (*story.Exchange, error) {
	x, err := r.At(ctx, log, index)
	if err == nil {
		err = r.AddResult(ctx, x)
	}
	if err == nil {
		err = r.AddQuestions(ctx, x)
	}
	return x, err
}

// At returns the record at this place as an exchange with its intent, if it has one, and nothing else. The
// error wraps audit.ErrNotFound if there is no such record.
func (r *Reader) At(ctx context.Context, log string, index uint64) (*story.Exchange, error) {
	record, err := r.Store.Get(ctx, log, index)
	if err != nil {
		return nil, fmt.Errorf("reading record %d of log %s: %w", index, log, err)
	}
	x := story.ExchangeOf(record)
	return x, AddIntent(ctx, r.Store, x)
}

// Found returns the exchange of a record that a search has found. An outcome comes with its intent, which
// holds the request; a settlement comes alone.
func Found(ctx context.Context, store audit.Store, record *audit.Record) (*story.Exchange, error) {
	x := story.ExchangeOf(record)
	if record.Kind != audit.KindOutcome {
		return x, nil
	}
	return x, AddIntent(ctx, store, x)
}

// AddIntent adds the intent of an outcome or settlement. There is none if the store does not have its log, as
// a copy of one log does not, or if a damage.Store leaves it out.
func AddIntent(ctx context.Context, store audit.Store, x *story.Exchange) (err error) {
	intent := intentOf(x)
	if x.Intent != nil || intent == nil {
		return nil
	}
	x.Intent, err = store.Get(ctx, intent.Log, intent.Index)
	if err != nil && !errors.Is(err, damage.ErrMissed) && (intent.Log == x.At.Log || !errors.Is(err, audit.ErrNotFound)) {
		return fmt.Errorf("reading the intent %d of log %s: %w", intent.Index, intent.Log, err)
	}
	return nil
}

// intentOf returns the intent of an exchange: its record, or what a search needs of one that was not read.
// It is nil for an exchange of one record.
func intentOf(x *story.Exchange) *audit.Record {
	if x.Intent == nil && (x.At.Kind == audit.KindOutcome || x.At.Kind == audit.KindSettlement) {
		at := story.IntentOf(x.At)
		return &audit.Record{Log: at.Log, Index: at.Index, ID: x.At.ID}
	}
	return x.Intent
}

// AddResult adds the outcome and the settlement of an intent. The intent itself may be missing.
func (r *Reader) AddResult(ctx context.Context, x *story.Exchange) error {
	intent := intentOf(x)
	if intent == nil {
		return nil
	}
	if x.Outcome == nil || isUnsettled(x) {
		if err := r.addResultIn(ctx, intent, x); err != nil {
			return err
		}
	}
	if !isUnsettled(x) {
		return nil
	}
	logs, err := r.logs(ctx)
	if err == nil {
		x.Settlement, err = audit.SettlementElsewhere(ctx, r.Store, logs, intent)
	}
	return err
}

// isUnsettled reports whether there may be a settlement that was not read.
func isUnsettled(x *story.Exchange) bool {
	return x.Settlement == nil && (x.Outcome == nil || story.LeavesOpen(x.Outcome))
}

// addResultIn adds the records that the log of the intent has. All of them come after the intent.
func (r *Reader) addResultIn(ctx context.Context, intent *audit.Record, x *story.Exchange) error {
	query := audit.Query{Log: intent.Log, ID: intent.ID, NoExchanges: true, From: intent.Index + 1}
	if x.Outcome != nil {
		query.Kind = audit.KindSettlement
	}
	looked := 0
	for record, err := range r.Store.Search(ctx, query) {
		if err != nil {
			return fmt.Errorf("looking for the result of record %s: %w", intent.Address(), err)
		}
		if story.IntentOf(record) == (story.Place{Log: intent.Log, Index: intent.Index}) {
			switch record.Kind {
			case audit.KindOutcome:
				x.Outcome = cmp.Or(x.Outcome, record)
			case audit.KindSettlement:
				x.Settlement = cmp.Or(x.Settlement, record)
			}
		}
		if looked++; looked == r.Most {
			break
		}
	}
	return nil
}

// AddQuestions adds the newest questions of the gateway about an exchange that has an intent, and to a
// question the exchange that it is about: its outcome, or its intent as long as that has none.
func (r *Reader) AddQuestions(ctx context.Context, x *story.Exchange) error {
	isQuestion := x.At.Kind == audit.KindExchange && story.IsQuestion(x.At)
	if !isQuestion && intentOf(x) == nil {
		return nil
	}
	logs, err := r.logs(ctx)
	if err != nil {
		return err
	}
	query := audit.Query{ID: x.At.ID, NoExchanges: isQuestion}
	if !isQuestion {
		query.Decision = audit.DecisionAsk
	}
	for record, err := range audit.SearchLogs(ctx, r.Store, logs, query) {
		switch {
		case err != nil:
			return fmt.Errorf("looking for the questions of exchange %s: %w", x.At.ID, err)
		case !isQuestion:
			x.Asked = append(x.Asked, record)
		case record.Kind != audit.KindSettlement:
			x.Asker = record
		}
		if x.AskedBefore = r.Most > 0 && len(x.Asked) > r.Most; x.AskedBefore || x.Asker != nil {
			break
		}
	}
	if x.AskedBefore {
		x.Asked = x.Asked[:r.Most]
	}
	slices.Reverse(x.Asked)
	return nil
}

func (r *Reader) logs(ctx context.Context) (_ []string, err error) {
	if r.Logs == nil {
		if r.Logs, err = r.Store.Logs(ctx); err != nil {
			return nil, fmt.Errorf("listing the logs: %w", err)
		}
	}
	return r.Logs, nil
}
