package run

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// stepBuckets is how many buckets of the parts a step merges. A step writes some 220 kB: that takes
// about 2 ms, in which no commit gets in between.
const stepBuckets = 16

// Merge is the making of a run. It is not for concurrent use.
type Merge struct {
	rows  Rows
	parts []Row
	row   Row
	next  int // the first bucket of the parts that was not merged

	// What follows is memory that each step uses again.
	splitter splitter
	read     []byte
	pieces   []piece
	of       [][]byte
}

// piece is a list of a part, in Merge.read.
type piece struct{ bucket, part, from, to int }

// List is a list of a run.
type List struct {
	Bucket int
	Terms  []byte
}

// Step is what one transaction of a merge writes. Its lists are there until the next one is made.
type Step struct {
	// Level and First are the run's.
	Level int
	First uint64
	Lists []List
	// Row makes the run be seen: it is there in the last step of the merge alone.
	Row *Row
	// next is the bucket of the parts after the step.
	next int
}

// Bytes is how much data the step has.
func (s *Step) Bytes() (n int) {
	for i := range s.Lists {
		n += len(s.Lists[i].Terms)
	}
	return n
}

// Next returns the next merge of a log, one that was interrupted where it has to continue; nil if nothing
// is to be merged. Smaller runs come first. One process at a time may merge a log.
func Next(ctx context.Context, rows Rows) (*Merge, error) {
	shape := rows.Shape()
	for level := range shape.Levels() {
		end, err := rows.End(ctx, level+1)
		if err != nil {
			return nil, err
		}
		parts, err := rows.Parts(ctx, level, end, shape.Parts())
		if err != nil {
			return nil, err
		}
		if len(parts) < shape.Parts() {
			continue
		}
		m, err := newMerge(rows, parts)
		if err != nil {
			return nil, err
		}
		_, last, begun, err := rows.Bounds(ctx, level+1, m.row.First)
		if err != nil {
			return nil, err
		}
		if begun {
			m.next = last>>shape.Bits + 1
		}
		return m, nil
	}
	return nil, nil
}

func newMerge(rows Rows, parts []Row) (*Merge, error) {
	row, err := rowOf(parts)
	if err != nil {
		return nil, fmt.Errorf("run at %d of %s: %w", parts[0].First, rows.Name(), err)
	}
	return &Merge{rows: rows, parts: parts, row: row}, nil
}

// Step returns the next step. After it was written, Done is to be called; otherwise Step
// returns the same one again.
func (m *Merge) Step(ctx context.Context) (*Step, error) {
	end := m.rows.Shape().Buckets(m.row.Level - 1)
	step := &Step{Level: m.row.Level, First: m.row.First, next: min(m.next+stepBuckets, end)}
	last := m.rows.Shape().Buckets(m.row.Level) - 1
	err := m.lists(ctx, m.next, step.next, func(bucket int, list []byte) {
		if len(list) > 0 || bucket == last { // which shows that nothing is left to merge
			step.Lists = append(step.Lists, List{bucket, list})
		}
	})
	if err != nil {
		return nil, err
	}
	if step.next == end {
		step.Row = &m.row
	}
	return step, nil
}

// Done notes that the step was written, and reports whether the merge is done.
func (m *Merge) Done(step *Step) bool {
	m.next = step.next
	return step.Row != nil
}

// lists calls do with each list of the run that the buckets from <= bucket < to of its parts become. They are there
// until the next call.
func (m *Merge) lists(ctx context.Context, from, to int, do func(bucket int, list []byte)) error {
	if err := m.readParts(ctx, from, to); err != nil {
		return err
	}
	shape, pieces := m.rows.Shape(), m.pieces
	m.splitter.lists = slices.Grow(m.splitter.lists[:0], len(m.read)) // so that no list moves
	for bucket := from; bucket < to; bucket++ {
		clear(m.of)
		for len(pieces) > 0 && pieces[0].bucket == bucket {
			m.of[pieces[0].part] = m.read[pieces[0].from:pieces[0].to]
			pieces = pieces[1:]
		}
		start := len(m.splitter.lists)
		ends, err := m.splitter.split(shape, m.row.Level-1, m.of)
		if err != nil {
			return fmt.Errorf("bucket %d of the runs from %d of %s: %w", bucket, m.row.First, m.rows.Name(), err)
		}
		for i, end := range ends {
			do(bucket<<shape.Bits|i, m.splitter.lists[start:end:end])
			start = end
		}
	}
	return nil
}

// readParts reads the lists of the parts in these buckets, and puts them in the order of the buckets.
func (m *Merge) readParts(ctx context.Context, from, to int) error {
	m.read, m.pieces = m.read[:0], m.pieces[:0]
	if from >= to {
		return nil
	}
	number := make(map[uint64]int, len(m.parts))
	span := Span{Level: m.row.Level - 1, From: from, To: to}
	for i := range m.parts {
		number[m.parts[i].First] = i
		span.Firsts = append(span.Firsts, m.parts[i].First)
	}
	if m.of == nil {
		m.of = make([][]byte, len(m.parts))
	}
	err := m.rows.Lists(ctx, []Span{span}, func(_ int, first uint64, bucket int, list []byte) error {
		start := len(m.read)
		m.read = append(m.read, list...)
		m.pieces = append(m.pieces, piece{bucket, number[first], start, len(m.read)})
		return nil
	})
	slices.SortFunc(m.pieces, func(a, b piece) int { return cmp.Compare(a.bucket, b.bucket) })
	return err
}
