package verify

import (
	"fmt"

	"github.com/fielato/fielato/audit"
)

// rowResult is what was found in a place of a row: a kind of flaw, no text for a record
// that is right or that was not read.
type rowResult struct {
	kind audit.FlawKind
	from uint64 // of FlawMoved
}

// comparison is the way through a row from its first place to its last.
type comparison struct {
	*row
	near    neighbours
	results []rowResult
	flaws   []audit.Flaw
	// shift is how many places the records stand after those where they belong, because
	// something before them was inserted, or removed if it is negative.
	shift int64
}

// compare finds out what happened to the records in the first n places of the row,
// going by the leaf hashes that are kept. It begins with the shift of the row before,
// and returns the one that it ends with.
func (r *row) compare(near neighbours, n int, shift int64) ([]audit.Flaw, int64) {
	c := comparison{row: r, near: near, results: make([]rowResult, n), shift: shift}
	for i := range c.results {
		c.results[i] = c.judge(i)
	}
	c.followShifts()
	c.listResults()
	c.listExtra()
	return c.flaws, c.shift
}

// judge returns the result of one place by itself.
func (c *comparison) judge(i int) rowResult {
	p := &c.places[i]
	if p.unread || p.filled && (c.kept == nil || sameHash(c.kept, i, p.leaf)) {
		return rowResult{}
	}
	if !p.filled {
		if hash, ok := c.near.hashes[c.n*audit.TileWidth+uint64(i)]; ok {
			if _, elsewhere := c.near.stands[hash]; elsewhere {
				return rowResult{} // reported where it stands
			}
		}
		return rowResult{kind: audit.FlawRemoved}
	}
	if from, known := c.near.belongs[p.leaf]; known {
		return rowResult{audit.FlawMoved, from}
	}
	return rowResult{kind: audit.FlawChanged}
}

// followShifts looks for records that all stand the same distance from their places:
// something was inserted or removed before them, and they themselves are in order.
func (c *comparison) followShifts() {
	unknown := 0 // records in a row before this one that are none of the log's
	for i := range c.results {
		shift, known := c.shiftAt(i)
		if !known {
			unknown++
			if c.results[i].kind != audit.FlawChanged {
				unknown = 0
			}
			continue
		}
		step := shift - c.shift
		switch {
		case step == 0 || shift == 0:
			c.shift = shift
		case step > 0 && int64(unknown) >= step:
			for at := i - int(step); at < i; at++ {
				c.results[at].kind = audit.FlawInserted
			}
			c.shift = shift
		case step > 0 && i+1 < len(c.results) && c.places[i+1].filled && c.continues(i, shift) && c.right(i-int(step)):
			at := c.n*audit.TileWidth + uint64(i)
			c.flaws = append(c.flaws, audit.Flaw{
				Kind: audit.FlawInserted, First: at, Next: at + uint64(step),
				Detail: fmt.Sprintf("a second copy of what stands %d places before", step),
			})
			c.shift = shift
		case step < 0 && c.skipped(i, -step) && c.continues(i, shift):
			from := c.near.belongs[c.places[i].leaf]
			c.flaws = append(c.flaws, audit.Flaw{Kind: audit.FlawRemoved, First: from - uint64(-step), Next: from})
			c.shift = shift
		}
		if shift == c.shift {
			c.results[i] = rowResult{}
		}
		unknown = 0
	}
}

// shiftAt returns how many places the record stands after the one where it belongs.
func (c *comparison) shiftAt(i int) (shift int64, known bool) {
	p := &c.places[i]
	if !p.filled {
		return 0, false
	}
	if sameHash(c.kept, i, p.leaf) {
		return 0, true
	}
	from, known := c.near.belongs[p.leaf]
	return int64(c.n*audit.TileWidth) + int64(i) - int64(from), known
}

// right reports whether the record in the place belongs there.
func (c *comparison) right(i int) bool {
	return i >= 0 && c.places[i].filled && sameHash(c.kept, i, c.places[i].leaf)
}

// skipped reports whether the n records that belong before the one in this place stand
// nowhere near.
func (c *comparison) skipped(i int, n int64) bool {
	from := int64(c.near.belongs[c.places[i].leaf])
	for index := from - n; index < from; index++ {
		hash, ok := c.near.hashes[uint64(index)]
		if _, there := c.near.stands[hash]; !ok || there {
			return false
		}
	}
	return true
}

// continues reports whether what follows stands as far from its place.
func (c *comparison) continues(i int, shift int64) bool {
	if i+1 == len(c.results) || !c.places[i+1].filled {
		return true
	}
	next, known := c.shiftAt(i + 1)
	return known && next == shift
}

// listResults makes a flaw of each run of results; records that were changed are named
// one by one.
func (c *comparison) listResults() {
	first := c.n * audit.TileWidth
	for start := 0; start < len(c.results); {
		v, end := c.results[start], start+1
		for end < len(c.results) && v.kind != audit.FlawChanged && c.results[end].kind == v.kind &&
			(v.kind != audit.FlawMoved || c.results[end].from == v.from+uint64(end-start)) {
			end++
		}
		if v.kind != "" {
			f := audit.Flaw{Kind: v.kind, First: first + uint64(start), Next: first + uint64(end), From: v.from}
			if err := c.places[start].err; v.kind == audit.FlawChanged && err != nil {
				f.Detail = err.Error()
			}
			c.flaws = append(c.flaws, f)
		}
		start = end
	}
}

// listExtra names the records that stand in a place which has another one already. One
// that stands nowhere else was pushed there by an insertion before it.
func (c *comparison) listExtra() {
	for _, e := range c.extra {
		at := c.n*audit.TileWidth + uint64(e.at)
		from, known := c.near.belongs[e.leaf]
		_, stands := c.near.stands[e.leaf]
		switch {
		case !known:
			c.flaws = append(c.flaws, audit.Flaw{Kind: audit.FlawInserted, First: at, Next: at + 1, Detail: "a second record stands in this place"})
		case stands:
			c.flaws = append(c.flaws, audit.Flaw{
				Kind: audit.FlawInserted, First: at, Next: at + 1,
				Detail: fmt.Sprintf("a second copy of record %d stands in this place", from),
			})
		}
	}
}
