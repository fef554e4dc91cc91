package segment

import (
	"context"
	"sync"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/panics"
	"github.com/fielato/fielato/internal/segment/frame"
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
	// spans are still to be scanned, in order. The first begun of them are being read, or were read.
	spans []*spanAhead
	begun int
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

// readAhead begins to read the tail, and the blocks that will be scanned.
func (r *search) readAhead(ctx context.Context, blocks []candidate) *ahead {
	a := &ahead{search: r}
	a.ctx, a.cancel = context.WithCancel(ctx)
	spans := []span{{r.view.Indexed, r.view.Size}}
	for i := range blocks {
		if b := &blocks[i]; b.next > r.query.From && b.wanted && !r.picks(b) {
			spans = append(spans, b.span)
		}
	}
	for _, s := range spans {
		a.spans = append(a.spans, &spanAhead{span: s, done: make(chan struct{})})
	}
	return a
}

// next returns the keys of the next span, and begins to read those after it.
func (a *ahead) next() ([]keys, error) {
	for a.begun < min(len(a.spans), 1+spansAhead) {
		s := a.spans[a.begun]
		a.begun++
		a.group.Go(func() {
			defer close(s.done)
			s.err = panics.Do("searching the trail", func() error { return a.read(s) })
		})
	}
	a.current, a.spans, a.begun = a.spans[0], a.spans[1:], a.begun-1
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
