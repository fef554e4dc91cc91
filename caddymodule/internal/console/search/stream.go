package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/console/site"
)

const (
	// firstPart is how many records a search looks at first, where no index narrows it.
	firstPart = 4 << 10
	// quick is how long a part may take for the next one to be larger.
	quick = 60 * time.Millisecond
	// wholeLog is a part that leaves nothing.
	wholeLog = 1 << 40
)

// stream has the matching records of one log, newest first. It searches the log in parts, so that a
// search that must look at each record can be left between two of them.
type stream struct {
	key, log string
	source   *site.Source
	// queries are searched together: a record matches if one of them asks for it.
	queries []audit.Query
	// fits is a further condition; nil for none.
	fits func(*audit.Record) (bool, error)
	// before: the records with smaller indexes are still to be looked at.
	before uint64
	// part is how many records the next part has.
	part uint64
	// found are the records of the last part that have not been taken.
	found []*audit.Record
	parts int
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
	from := st.before - min(st.before, st.part)
	for _, query := range st.queries {
		query.Log, query.Before, query.From = st.log, st.before, from
		cut, err := st.collect(ctx, query, want)
		if err != nil {
			return fmt.Errorf("searching: %w", err)
		}
		from = max(from, cut)
	}
	slices.SortFunc(st.found, func(a, b *audit.Record) int { return cmp.Compare(b.Index, a.Index) })
	st.found = slices.DeleteFunc(st.found, func(r *audit.Record) bool { return r.Index < from })
	st.found = slices.CompactFunc(st.found, func(a, b *audit.Record) bool { return a.Index == b.Index })
	st.before = from
	st.parts++
	switch took := time.Since(began); {
	case took < quick:
		st.part = min(4*st.part, wholeLog)
	case took > 2*quick:
		st.part = max(st.part/4, firstPart)
	}
	return nil
}

// collect adds the records of one query. With as many as are wanted it stops, and returns the index of the last.
func (st *stream) collect(ctx context.Context, query audit.Query, want int) (uint64, error) {
	n := 0
	for record, err := range st.source.Store.Search(ctx, query) {
		if err != nil {
			return 0, err
		}
		if fits, err := st.fit(ctx, record); err != nil {
			return 0, err
		} else if !fits {
			continue
		}
		st.found = append(st.found, record)
		if n++; n >= want {
			return record.Index, nil
		}
	}
	return 0, nil
}

// fit reports whether the record is one that the store cannot exclude: an open intent that another log
// has settled is open no more.
func (st *stream) fit(ctx context.Context, record *audit.Record) (bool, error) {
	if st.fits != nil {
		if fits, err := st.fits(record); !fits || err != nil {
			return false, err
		}
	}
	if record.Kind != audit.KindIntent {
		return true, nil
	}
	settlement, err := audit.SettlementElsewhere(ctx, st.source.Store, st.source.Logs, record)
	return settlement == nil, err
}

// take takes the record that next has returned.
func (st *stream) take() { st.found = st.found[1:] }

// position is how many records are still to be looked at.
func (st *stream) position() uint64 {
	if len(st.found) > 0 {
		return st.found[0].Index + 1
	}
	return st.before
}
