package damage

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/fielato/fielato/audit"
)

// Error is a part of a log that cannot be read. A search yields it as an error, and may be continued.
type Error struct {
	Log string
	// First <= index < Next are the records.
	First, Next uint64
	// Record is the one record, without its content; nil if its summary cannot be read either.
	Record *audit.Record
	Err    error
}

// Error names the records.
func (f *Error) Error() string {
	return fmt.Sprintf("records %d to %d of log %s: %v", f.First, f.Next-1, f.Log, f.Err)
}

// Unwrap returns Err.
func (f *Error) Unwrap() error { return f.Err }

// Is reports whether an error says that something in a store is damaged. Other errors of reading leave that open: what
// was not read may be sound.
func Is(err error) bool {
	return errors.Is(err, audit.ErrDamaged) || errors.Is(err, audit.ErrUnsound) || errors.Is(err, audit.ErrEncoding)
}

// Search is Store.Search of one log. It yields an Error in the place of a damaged record, and goes on behind it: it may
// yield more than the query's limit then.
func Search(ctx context.Context, store audit.Store, query audit.Query) iter.Seq2[*audit.Record, error] {
	return func(yield func(*audit.Record, error) bool) {
		s := &search{ctx: ctx, store: store, query: query, yield: yield}
		for more, failed := true, error(nil); more; {
			if more, failed = s.sound(); failed != nil {
				if more, failed = s.behind(failed); failed != nil {
					yield(nil, failed)
					return
				}
			}
		}
	}
}

// search is one Search. The query's Before is where to go on.
type search struct {
	ctx   context.Context
	store audit.Store
	query audit.Query
	yield func(*audit.Record, error) bool
}

// goOn moves the search to the records before an index, and reports whether there can be any.
func (s *search) goOn(before uint64) bool {
	s.query.Before = before
	return before > s.query.From
}

// sound yields records until the first error.
func (s *search) sound() (more bool, err error) {
	for record, err := range s.store.Search(s.ctx, s.query) {
		if err != nil {
			return true, err
		}
		more = s.goOn(record.Index)
		if !s.yield(record, nil) || !more {
			return false, nil
		}
	}
	return false, nil
}

// behind yields what has made the search fail, and goes on behind it. It reports false if there is nothing more.
func (s *search) behind(failed error) (more bool, err error) {
	if !Is(failed) {
		return false, failed
	}
	if s.query.Finding == "" && s.query.Receiver == 0 && !s.query.SummaryOnly { // else there is nothing to match without content
		summaries := s.query
		summaries.SummaryOnly, summaries.Limit = true, 1
		for record, err := range s.store.Search(s.ctx, summaries) {
			if err == nil {
				return s.withoutContent(record)
			}
		}
	}
	first, next, err := s.damaged()
	if err != nil || next == 0 {
		return false, err
	}
	return s.yield(nil, &Error{Log: s.query.Log, First: first, Next: next, Err: failed}) && s.goOn(first), nil
}

// withoutContent yields a record that was found by its summary: whole, if its content can be read. It was another
// record then that could not be, and that the query does not ask for.
func (s *search) withoutContent(record *audit.Record) (more bool, err error) {
	whole, err := s.store.Get(s.ctx, s.query.Log, record.Index)
	switch {
	case err == nil:
		return s.yield(whole, nil) && s.goOn(record.Index), nil
	case !Is(err):
		return false, err
	}
	return s.yield(nil, &Error{s.query.Log, record.Index, record.Index + 1, summaryOf(record), err}) && s.goOn(record.Index), nil
}

// summaryOf returns a record without its content.
func summaryOf(record *audit.Record) *audit.Record {
	summary := *record
	summary.Presence, summary.Request, summary.Answer = audit.Unread, nil, nil
	return &summary
}

// damaged returns the newest run of records that cannot be searched; an end of 0 if all can be now.
func (s *search) damaged() (first, next uint64, err error) {
	end := s.query.Before
	if end == 0 {
		head, err := s.store.Head(s.ctx, s.query.Log)
		if err != nil {
			return 0, 0, err
		}
		end = head.Size
	}
	// Look at ever more records until some fail, then find the newest of these.
	low, high := end, end
	for width := uint64(1); ; width *= 2 {
		if low <= s.query.From {
			return 0, 0, nil
		}
		low = max(s.query.From, end-min(width, end))
		bad, err := s.fails(low, end)
		if err != nil {
			return 0, 0, err
		}
		if bad {
			break
		}
		high = low
	}
	if next, err = s.bisect(low, high, func(at uint64) (bool, error) { return s.fails(at, end) }); err != nil {
		return 0, 0, err
	}
	// The run ends where a single record can be searched again.
	low = next
	for step := uint64(1); low > s.query.From; step *= 2 {
		high = low
		low = max(s.query.From, next-min(step, next))
		sound, err := s.isSound(low)
		if err != nil {
			return 0, 0, err
		}
		if sound {
			first, err = s.bisect(low, high, s.isSound)
			return first + 1, next + 1, err
		}
	}
	return s.query.From, next + 1, nil
}

// bisect returns the largest index for which yes holds: it holds for low, and not for high.
func (s *search) bisect(low, high uint64, yes func(uint64) (bool, error)) (uint64, error) {
	for high-low > 1 {
		middle := low + (high-low)/2
		holds, err := yes(middle)
		if err != nil {
			return 0, err
		}
		if holds {
			low = middle
		} else {
			high = middle
		}
	}
	return low, nil
}

// isSound reports whether one record can be searched.
func (s *search) isSound(at uint64) (bool, error) {
	bad, err := s.fails(at, at+1)
	return !bad, err
}

// fails reports whether a search of these records meets damage other than of a content that it can do without.
func (s *search) fails(from, before uint64) (bool, error) {
	query := s.query
	query.From, query.Before, query.SummaryOnly, query.Limit = from, before, true, 0
	for _, err := range s.store.Search(s.ctx, query) {
		if Is(err) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
	return false, nil
}
