package run

import (
	"context"

	"github.com/fielato/fielato/internal/segment/frame"
)

// Query selects the records that a walk leads to.
type Query struct {
	// Since <= time <= Until, in microseconds since 1970; nil for no bound.
	Since, Until *int64
	// From <= index < Before; Before is 0 for no bound.
	From, Before uint64
	// Terms: a record has one of each.
	Terms []Terms
	// Open asks for open intents alone.
	Open bool
}

// Terms are alternatives: a record has any of them, or is in a block that does not have the term Unless, if that is
// not nil. A block has such a term Everywhere.
type Terms struct {
	Any    []Term
	Unless *Term
}

// manyTerms is from how many alternatives on a walk narrows its way as it goes.
const manyTerms = 8

// Walk leads from the newest block of a log to the oldest. Runs without a match are passed as a whole, the
// others taken apart when they are reached. It is not for concurrent use.
type Walk struct {
	rows  Rows
	query *Query
	// left are the candidates to come, the next one last.
	left []Candidate
	// loose is how many of them, from the first on, are not narrowed yet, and step how many will be at a time.
	loose, step int
}

// NewWalk begins a walk through the blocks before the index.
func NewWalk(ctx context.Context, rows Rows, query *Query, before uint64) (*Walk, error) {
	w := &Walk{rows: rows, query: query}
	if query.From >= before {
		return w, nil
	}
	all, err := rows.Cover(ctx, before)
	if err != nil {
		return nil, err
	}
	for i := range all {
		row := &all[i]
		w.left = append(w.left, Candidate{
			Part: row.Part, Level: row.Level, Wanted: query.asks(&row.Part),
			rows: rows, cover: &cover{packed: row.Open}, late: row.Late, parts: row.Parts,
		})
	}
	if len(query.Terms) == 1 && len(query.Terms[0].Any) > manyTerms {
		// Many records may have one of so many terms, and the newest few be asked for.
		w.loose, w.step = len(w.left), 1
		return w, nil
	}
	for _, one := range query.Terms {
		if left, err := w.narrow(ctx, one, w.left); err != nil || !left {
			return w, err
		}
	}
	return w, nil
}

// asks reports whether records of such times and indexes are looked for.
func (q *Query) asks(p *Part) bool {
	return (q.Since == nil || *q.Since <= p.Newest) && (q.Until == nil || *q.Until >= p.Oldest) &&
		(q.Before == 0 || p.First < q.Before) && p.Next > q.From
}

// narrowNext narrows the next candidates to the only terms, each time twice as many.
func (w *Walk) narrowNext(ctx context.Context) error {
	n := min(w.loose, w.step)
	_, err := w.narrow(ctx, w.query.Terms[0], w.left[w.loose-n:w.loose])
	w.loose, w.step = w.loose-n, 2*w.step
	return err
}

// narrow leaves the records of the candidates that have one of these terms too, and reports whether there may be any.
func (w *Walk) narrow(ctx context.Context, one Terms, of []Candidate) (left bool, err error) {
	places, err := w.places(ctx, one.Any, of)
	if err != nil {
		return false, err
	}
	var unless map[uint64][]Place
	if one.Unless != nil {
		if unless, err = w.places(ctx, []Term{*one.Unless}, of); err != nil {
			return false, err
		}
	}
	for i := range of {
		c := &of[i]
		if !c.Wanted {
			continue
		}
		found := places[c.First]
		if one.Unless != nil {
			found = union(found, w.rows.Shape().others(unless[c.First], c.Level))
		}
		if c.Places == nil {
			c.Places = found
		} else {
			c.Places = intersect(c.Places, found)
		}
		c.Wanted = len(c.Places) > 0
		left = left || c.Wanted
	}
	return left, nil
}

// places returns the places of any of the terms in each candidate that is wanted, by its first record.
func (w *Walk) places(ctx context.Context, any []Term, of []Candidate) (map[uint64][]Place, error) {
	shape := w.rows.Shape()
	firsts, places := make([][]uint64, shape.Levels()+1), map[uint64][]Place{}
	for i := range of {
		if c := &of[i]; c.Wanted {
			firsts[c.Level] = append(firsts[c.Level], c.First)
		}
	}
	var spans []Span
	var terms []Term // of each span
	for level, firsts := range firsts {
		for _, t := range any {
			if len(firsts) > 0 {
				bucket := shape.Bucket(t, level)
				spans, terms = append(spans, Span{level, firsts, bucket, bucket + 1}), append(terms, t)
			}
		}
	}
	err := w.rows.Lists(ctx, spans, func(i int, first uint64, _ int, list []byte) error {
		places[first] = append(places[first], shape.Places(list, terms[i], spans[i].Level)...)
		return nil
	})
	for first := range places {
		places[first] = merge(places[first])
	}
	return places, err
}

// Next returns the next candidate, nil after the last one. Those that are not wanted come too, for the intents
// that they answer, but not the parts of a run: it comes itself when its parts were passed.
func (w *Walk) Next(ctx context.Context) (*Candidate, error) {
	for len(w.left) > 0 {
		if w.loose == len(w.left) {
			if err := w.narrowNext(ctx); err != nil {
				return nil, err
			}
		}
		c := w.left[len(w.left)-1]
		w.left = w.left[:len(w.left)-1]
		if c.Level == 0 {
			c.Places = narrowed(c.Places)
		}
		if !c.Wanted || c.Level == 0 || w.Picks(&c) {
			return &c, nil
		}
		if err := w.takeApart(ctx, &c); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// Picks reports whether only some records of a candidate are wanted, its Picked.
func (w *Walk) Picks(c *Candidate) bool {
	return c.Places != nil && c.Level == 0 || c.Places == nil && w.query.Open
}

// takeApart puts the wanted parts of a run in its place, and behind them the run itself.
func (w *Walk) takeApart(ctx context.Context, c *Candidate) error {
	if c.parts == nil {
		rows, err := w.rows.Parts(ctx, c.Level, c.First, 1)
		if err != nil {
			return err
		}
		if len(rows) == 0 || rows[0].First != c.First {
			return c.Damaged(frame.ErrDamaged)
		}
		c.parts = rows[0].Parts
	}
	shape := w.rows.Shape()
	parts, err := shape.unpackParts(&c.Part, c.parts)
	if err != nil {
		return c.Damaged(err)
	}
	w.left = append(w.left, Candidate{Part: c.Part, Level: c.Level, rows: c.rows, cover: c.cover, late: c.late})
	for i := range parts {
		part := Candidate{Part: parts[i], Level: c.Level - 1, Wanted: w.query.asks(&parts[i]), rows: c.rows, cover: c.cover}
		if c.Places != nil {
			part.Places = shape.within(c.Places, c.Level, i)
			part.Wanted = part.Wanted && len(part.Places) > 0
		}
		if part.Wanted {
			w.left = append(w.left, part)
		}
	}
	return nil
}
