package segment

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/segment/run"
)

// memory are the rows of one log, in memory.
type memory struct {
	shape    run.Shape
	segments []Row
	runs     []run.Row // of every level
	lists    map[listKey][]byte
}

type listKey struct {
	level  int
	first  uint64
	bucket int
}

var _ Rows = (*memory)(nil)

// write takes the rows of a commit.
func (m *memory) write(plan *Plan) {
	m.segments = append(m.segments, plan.Segments...)
	if b := plan.Block; b != nil {
		m.runs = append(m.runs, b.Row)
		for bucket, list := range b.Lists {
			if len(list) > 0 {
				m.lists[listKey{0, b.First, bucket}] = list
			}
		}
	}
}

// writeStep takes the rows of a step of a merge.
func (m *memory) writeStep(step *run.Step) {
	for _, list := range step.Lists {
		key := listKey{step.Level, step.First, list.Bucket}
		if _, ok := m.lists[key]; ok {
			panic("a list is written twice")
		}
		m.lists[key] = bytes.Clone(list.Terms)
	}
	if step.Row != nil {
		m.runs = append(m.runs, *step.Row)
	}
}

func (m *memory) view() View {
	v := View{}
	if n := len(m.segments); n > 0 {
		last := &m.segments[n-1]
		first := int64(last.First)
		v, _ = NewView(&first, last.Keys, nil, nil)
	}
	v.Indexed, _ = m.End(context.Background(), 0)
	return v
}

func (m *memory) Segment(ctx context.Context, index uint64, columns Columns) (row *Row, ok bool, err error) {
	for i := range m.segments {
		if m.segments[i].First <= index {
			row, ok = &m.segments[i], true
		}
	}
	return row, ok, nil
}

func (m *memory) Segments(ctx context.Context, from, to uint64, columns Columns, limit int, do func(*Row) error) error {
	for i := range m.segments {
		if row := m.segments[i]; row.First >= from && row.First < to {
			if err := do(&row); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *memory) DataKey(context.Context, int64) (audit.Period, []byte, error) { return 0, nil, nil }
func (m *memory) Name() string                                                 { return "memory" }
func (m *memory) Shape() run.Shape                                             { return m.shape }

func (m *memory) Parts(_ context.Context, level int, from uint64, limit int) (all []run.Row, err error) {
	for _, row := range m.runs {
		if row.Level == level && row.First >= from && (limit == 0 || len(all) < limit) {
			all = append(all, row)
		}
	}
	return all, nil
}

func (m *memory) End(_ context.Context, level int) (end uint64, err error) {
	for _, row := range m.runs {
		if row.Level == level {
			end = max(end, row.Next)
		}
	}
	return end, nil
}

func (m *memory) Cover(_ context.Context, before uint64) (all []run.Row, err error) {
	for _, row := range m.runs {
		covered := slices.ContainsFunc(m.runs, func(larger run.Row) bool {
			return larger.Level > row.Level && larger.Next <= before && larger.First <= row.First && larger.Next >= row.Next
		})
		if row.Next <= before && !covered {
			all = append(all, row)
		}
	}
	slices.SortFunc(all, func(a, b run.Row) int { return cmp.Compare(a.First, b.First) })
	return all, nil
}

func (m *memory) Lists(_ context.Context, spans []run.Span, do func(int, uint64, int, []byte) error) error {
	for i, span := range spans {
		for _, first := range span.Firsts {
			for bucket := span.From; bucket < span.To; bucket++ {
				if list := m.lists[listKey{span.Level, first, bucket}]; list != nil {
					if err := do(i, first, bucket, bytes.Clone(list)); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

func (m *memory) Begun(_ context.Context, level int, from uint64) (first uint64, ok bool, err error) {
	for key := range m.lists {
		if key.level == level && key.first >= from && (!ok || key.first < first) {
			first, ok = key.first, true
		}
	}
	return first, ok, nil
}

func (m *memory) Bounds(_ context.Context, level int, first uint64) (least, last int, ok bool, err error) {
	for key := range m.lists {
		if key.level == level && key.first == first {
			if !ok {
				least, last, ok = key.bucket, key.bucket, true
			}
			least, last = min(least, key.bucket), max(last, key.bucket)
		}
	}
	return least, last, ok, nil
}
