package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/fielato/fielato/audit"
)

// Check compares runs with their parts, from the blocks up: each run of level 1 with its blocks, which
// others compare with the records, and so on. It holds the lists of a few buckets in memory.
type Check struct {
	Rows Rows
	// Found is told of each flaw, and of the records that a search may miss.
	Found func(first, next uint64, detail string)
}

// checkedRows is how many rows of runs are read at a time.
const checkedRows = 64

// Run makes the check.
func (c *Check) Run(ctx context.Context) error {
	for level := 1; level <= c.Rows.Shape().Levels(); level++ {
		made, err := c.level(ctx, level)
		if err == nil {
			err = c.strays(ctx, level, made)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// level compares the runs of a level, and returns the first record of each.
func (c *Check) level(ctx context.Context, level int) (made map[uint64]bool, err error) {
	made = map[uint64]bool{}
	next := uint64(0) // where the next run of the level has to begin
	for at := uint64(0); ; {
		rows, err := c.Rows.Parts(ctx, level, at, checkedRows)
		if err != nil || len(rows) == 0 {
			return made, err
		}
		for i := range rows {
			row := &rows[i]
			made[row.First], at = true, row.First+1
			if row.First != next || row.Next <= row.First {
				c.Found(row.First, max(row.Next, row.First+1), fmt.Sprintf("runs: of level %d, where the one at %d was to follow", level, next))
			} else if err := c.compare(ctx, row); err != nil {
				return made, err
			}
			next = max(next, row.Next)
		}
	}
}

// compare makes a run again from its parts.
func (c *Check) compare(ctx context.Context, row *Row) error {
	flaw := func(detail string) { c.Found(row.First, row.Next, detail) }
	m, err := c.merge(ctx, row.Level, row.First)
	switch {
	case errors.Is(err, audit.ErrDamaged):
		flaw(fmt.Sprintf("runs: of level %d: %v", row.Level, err))
		return nil
	case err != nil:
		return err
	case m == nil || m.row.Next != row.Next:
		flaw(fmt.Sprintf("runs: of level %d: its parts are not there", row.Level))
		return nil
	}
	want := &m.row
	if row.Part != want.Part || !bytes.Equal(row.Parts, want.Parts) {
		flaw(fmt.Sprintf("runs: of level %d: its times or parts are not theirs", row.Level))
	}
	if !bytes.Equal(row.Open, want.Open) || !bytes.Equal(row.Late, want.Late) {
		flaw(fmt.Sprintf("runs: of level %d: its open intents are not those of its parts", row.Level))
	}
	return c.lists(ctx, m, c.Rows.Shape().Buckets(row.Level-1))
}

// merge returns the merge that makes the run at first, nil if its parts are not there.
func (c *Check) merge(ctx context.Context, level int, first uint64) (*Merge, error) {
	parts, err := c.Rows.Parts(ctx, level-1, first, c.Rows.Shape().Parts())
	if err != nil || len(parts) < c.Rows.Shape().Parts() || parts[0].First != first {
		return nil, err
	}
	return newMerge(c.Rows, parts)
}

// lists compares the lists that buckets before the end become.
func (c *Check) lists(ctx context.Context, m *Merge, end int) error {
	row, shape := &m.row, c.Rows.Shape()
	flaw := func(detail string) {
		c.Found(row.First, row.Next, fmt.Sprintf("lists: of level %d: %s", row.Level, detail))
	}
	least, last, ok, err := c.Rows.Bounds(ctx, row.Level, row.First)
	if err != nil {
		return err
	}
	if ok && (least < 0 || last >= shape.Buckets(row.Level)) {
		flaw("a run has no such bucket")
	}
	for from := 0; from < end; from += stepBuckets {
		to := min(from+stepBuckets, end)
		have := make([][]byte, (to-from)<<shape.Bits)
		span := Span{row.Level, []uint64{row.First}, from << shape.Bits, to << shape.Bits}
		err := c.Rows.Lists(ctx, []Span{span}, func(_ int, _ uint64, bucket int, list []byte) error {
			have[bucket-span.From] = bytes.Clone(list)
			return nil
		})
		if err == nil {
			err = m.lists(ctx, from, to, func(bucket int, want []byte) {
				if !bytes.Equal(have[bucket-span.From], want) {
					flaw(fmt.Sprintf("the one of bucket %d is not that of its parts", bucket))
				}
			})
		}
		if errors.Is(err, audit.ErrDamaged) {
			flaw(err.Error())
		} else if err != nil {
			return err
		}
	}
	return nil
}

// strays looks for lists of no run. A merge that is under way, or was interrupted, has lists already: they
// would become the run's.
func (c *Check) strays(ctx context.Context, level int, made map[uint64]bool) error {
	for at := uint64(0); ; {
		first, ok, err := c.Rows.Begun(ctx, level, at)
		if err != nil || !ok {
			return err
		}
		if at = first + 1; made[first] {
			continue
		}
		if err := c.begun(ctx, level, first); err != nil {
			return err
		}
	}
}

// begun compares the lists of a run that had no row yet. It may have got one since, and the next merge may
// have begun.
func (c *Check) begun(ctx context.Context, level int, first uint64) error {
	end, err := c.Rows.End(ctx, level)
	if err != nil {
		return err
	}
	_, last, _, err := c.Rows.Bounds(ctx, level, first)
	if err != nil {
		return err
	}
	rows, err := c.Rows.Parts(ctx, level, first, 1)
	if err != nil || len(rows) > 0 && rows[0].First == first {
		return err
	}
	m, err := c.merge(ctx, level, first)
	if err != nil && !errors.Is(err, audit.ErrDamaged) {
		return err
	}
	merged, buckets := max(last>>c.Rows.Shape().Bits+1, 0), c.Rows.Shape().Buckets(level-1)
	switch {
	case m == nil || end != first:
		c.Found(first, first+1, fmt.Sprintf("lists: of level %d, at %d, where no run is, nor is the next to be", level, first))
		return nil
	case merged >= buckets:
		c.Found(first, m.row.Next, fmt.Sprintf("runs: of level %d: its lists are there, and it is not", level))
	}
	return c.lists(ctx, m, min(merged, buckets))
}
