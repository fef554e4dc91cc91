package listing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/damage"
)

const (
	// FirstPart is how many records a search looks at first, where no index narrows it.
	FirstPart = 4 << 10
	// quick is how long a part may take for the next one to be larger.
	quick = 60 * time.Millisecond
	// wholeLog is a part that leaves nothing.
	wholeLog = 1 << 40
)

// firstPartOf returns how many records the first part of a search has. An index of each build has exchanges, CAEs and
// traces, so that the whole log is searched at once.
func firstPartOf(q *audit.Query) uint64 {
	if q.ID != "" || q.Code != "" || !q.TraceID.IsZero() {
		return wholeLog
	}
	return FirstPart
}

// stream has the matching records of one log, newest first. It searches the log in parts, so that a
// search that must look at each record can be left between two of them.
type stream struct {
	key, log string
	source   *site.Source
	query    audit.Query
	// before: the records with smaller indexes are still to be looked at.
	before uint64
	// part is how many records the next part has.
	part uint64
	// found are the records of the last part that have not been taken.
	found []*audit.Record
	parts int
	// quiet leaves out the questions of the gateway.
	quiet bool
	// last is the time of the last record that could be read.
	last time.Time
}

// next returns the next record without taking it; nil after the last. It reports false if mayGo stopped
// it between two parts; one part is always searched.
func (st *stream) next(ctx context.Context, want int, mayGo func() bool) (*audit.Record, bool, error) {
	for len(st.found) == 0 && st.before > 0 {
		if st.parts > 0 && !mayGo() {
			return nil, false, nil
		}
		if err := st.search(ctx, want); err != nil {
			return nil, false, err
		}
	}
	if len(st.found) == 0 {
		return nil, true, nil
	}
	return st.found[0], true, nil
}

// search searches one part.
func (st *stream) search(ctx context.Context, want int) error {
	began := time.Now()
	query := st.query
	query.Log, query.Before, query.From = st.log, st.before, st.before-min(st.before, st.part)
	cut, err := st.collect(ctx, query, want)
	if err != nil {
		return fmt.Errorf("searching: %w", err)
	}
	st.before = max(query.From, cut)
	st.parts++
	switch took := time.Since(began); {
	case took < quick/4: // an index leads to what there is
		st.part = min(16*st.part, wholeLog)
	case took < quick:
		st.part = min(4*st.part, wholeLog)
	case took > 2*quick:
		st.part = max(st.part/4, FirstPart)
	}
	return nil
}

// collect adds the records of a query. With as many as are wanted it stops, and returns the index of the last.
func (st *stream) collect(ctx context.Context, query audit.Query, want int) (uint64, error) {
	n := 0
	for record, err := range damage.Search(ctx, st.source.Store, query) {
		first, err := st.fit(ctx, record, err)
		if err != nil {
			return 0, err
		}
		if first == nil {
			continue
		}
		st.found = append(st.found, first.Record)
		if n++; n >= want {
			return first.index, nil
		}
	}
	return 0, nil
}

// collected is a record that fits, and the index before which to go on behind it.
type collected struct {
	*audit.Record
	index uint64
}

// fit returns a record that was found, nil if it is one that the store cannot exclude: an open intent that another log
// has settled is open no more. A record that cannot be read has no kind, and stands for its whole run.
func (st *stream) fit(ctx context.Context, record *audit.Record, err error) (*collected, error) {
	var flaw *damage.Error
	switch {
	case errors.As(err, &flaw) && flaw.Record != nil:
		record = flaw.Record
	case flaw != nil && st.source.IsBound():
		return nil, nil // nobody knows whose it is
	case flaw != nil:
		at := st.last
		if at.IsZero() {
			at = farFuture
		}
		return &collected{&audit.Record{Log: flaw.Log, Index: flaw.Next - 1, Intent: flaw.First, Time: at}, flaw.First}, nil
	case err != nil:
		return nil, err
	}
	st.last = record.Time
	if st.quiet && record.Decision == audit.DecisionAsk {
		return nil, nil
	}
	if record.Kind == audit.KindIntent {
		settlement, err := audit.SettlementElsewhere(ctx, st.source.Store, st.source.Logs, record)
		if settlement != nil || err != nil {
			return nil, err
		}
	}
	return &collected{record, record.Index}, nil
}

// farFuture is the time of what cannot be read and comes before all others.
var farFuture = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// Unreadable reports whether nothing of a record could be read. It stands for those from Intent to Index.
func Unreadable(r *audit.Record) bool { return r.Kind == 0 }

// take takes the record that next has returned.
func (st *stream) take() { st.found = st.found[1:] }

// position is how many records are still to be looked at.
func (st *stream) position() uint64 {
	if len(st.found) > 0 {
		return st.found[0].Index + 1
	}
	return st.before
}
