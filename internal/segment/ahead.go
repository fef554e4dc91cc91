package segment

import (
	"context"
	"sync"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/panics"
	"github.com/fielato/fielato/internal/segment/frame"
	"github.com/fielato/fielato/internal/segment/run"
)

// spansAhead is how many spans are read at a time while the consumer looks at another one. Of each some
// 4 MB are in memory: a record takes about a kilobyte, and an intent that is answered in the same span none.
const spansAhead = 2

// ahead reads the spans of a search without content on other goroutines, with one query for each span: one
// for each record would take most of the time. It belongs to the search, which stops it.
type ahead struct {
	search *search
	ctx    context.Context
	cancel context.CancelFunc
	group  sync.WaitGroup
	// spans are those that are being read, or were read and are still to be scanned, in order.
	spans []*spanAhead
	// taken are the candidates that were taken from the walk, in order. ended: there are no more.
	taken []*run.Candidate
	ended bool
	// current is the span that is scanned, or was scanned last.
	current *spanAhead
}

// spanAhead is a span on its way through a goroutine. The rest is set when done is closed.
type spanAhead struct {
	span
	done chan struct{}
	keys []keys
	// records are those that may match. The Loader reads others, and those that are damaged.
	records []*audit.Record
	err     error
}

// maxTaken bounds the candidates that are taken from the walk before they are reached.
const maxTaken = 32

// readAhead begins to read the tail, and the blocks that will be scanned.
func (r *search) readAhead(ctx context.Context) *ahead {
	a := &ahead{search: r}
	a.ctx, a.cancel = context.WithCancel(ctx)
	a.begin(span{r.view.Indexed, r.view.Size})
	return a
}

// next returns the next candidate of the walk, nil after the last one. It looks for spans to read ahead.
func (r *search) next(ctx context.Context) (*run.Candidate, error) {
	a := r.ahead
	if a == nil {
		return r.walk.Next(ctx)
	}
	for !a.ended && len(a.spans) < 1+spansAhead && len(a.taken) < maxTaken {
		c, err := r.walk.Next(ctx)
		if err != nil {
			return nil, err
		}
		if a.ended = c == nil || c.Next <= r.query.From; a.ended {
			break
		}
		if a.taken = append(a.taken, c); c.Wanted && !r.walk.Picks(c) {
			a.begin(span{c.First, c.Next})
		}
	}
	if len(a.taken) == 0 {
		return nil, nil
	}
	c := a.taken[0]
	a.taken = a.taken[1:]
	return c, nil
}

// begin begins to read a span, which will be scanned after those before it.
func (a *ahead) begin(of span) {
	s := &spanAhead{span: of, done: make(chan struct{})}
	a.spans = append(a.spans, s)
	a.group.Go(func() {
		defer close(s.done)
		s.err = panics.Do("searching the trail", func() error { return a.read(s) })
	})
}

// next returns the keys of the next span.
func (a *ahead) next() ([]keys, error) {
	a.current, a.spans = a.spans[0], a.spans[1:]
	<-a.current.done
	return a.current.keys, a.current.err
}

// stop ends the goroutines and waits for them.
func (a *ahead) stop() {
	a.cancel()
	a.group.Wait()
}

func (a *ahead) read(s *spanAhead) (err error) {
	var summaries [][]byte // nil for one that is damaged
	s.keys, err = readSpan(a.ctx, a.search.rows, s.first, s.next, ColumnFound, func(row *Row, count int) {
		items, err := frame.Unpack(row.Summaries)
		if err != nil || len(items) != count {
			items = make([][]byte, count)
		}
		summaries = append(summaries, items...)
	})
	if err != nil {
		return err
	}
	answered := make([]bool, len(s.keys))
	for i := range s.keys {
		if k := &s.keys[i]; k.isOutcome() && s.contains(k.intent) {
			answered[k.intent-s.first] = true
		}
	}
	s.records = make([]*audit.Record, len(s.keys))
	for i := range s.keys {
		if summaries[i] == nil || s.keys[i].isIntent() && answered[i] || !a.wanted(s, i) {
			continue
		}
		if r, err := audit.Decode(audit.Form{Summary: summaries[i], Presence: audit.Unread}); err == nil {
			r.Log, r.Index = a.search.query.Log, s.first+uint64(i)
			s.records[i] = r
		}
	}
	return nil
}

// wanted reports whether the scan may ask for the record. An intent of another span may make it match.
func (a *ahead) wanted(s *spanAhead, i int) bool {
	k := &s.keys[i]
	if !a.search.inRange(s.first+uint64(i)) || !a.search.query.Asks(k.kind) {
		return false
	}
	if !k.isOutcome() {
		return a.search.fits(k, nil)
	}
	return !s.contains(k.intent) || a.search.fits(k, &s.keys[k.intent-s.first])
}
