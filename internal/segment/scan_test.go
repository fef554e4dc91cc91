package segment

import (
	"context"
	"testing"

	"github.com/fielato/fielato/audit"
)

// counted are the rows of a log of empty segments. It counts those that are read.
type counted struct {
	Rows
	read, queries int
}

func (c *counted) Segment(_ context.Context, index uint64, _ Columns) (*Row, bool, error) {
	return &Row{First: index}, true, nil
}

func (c *counted) Segments(_ context.Context, from, to uint64, _ Columns, limit int, do func(*Row) error) error {
	c.queries++
	for first := from; first < to && first < from+uint64(limit); first++ {
		c.read++
		if err := do(&Row{First: first}); err != nil {
			return err
		}
	}
	return nil
}

// TestAScanForOneRecordReadsOneSegment: a segment may have megabytes. One of a whole log asks seldom.
func TestAScanForOneRecordReadsOneSegment(t *testing.T) {
	rows := &counted{}
	Scan(t.Context(), rows, nil, View{Size: 1000, End: 1000}, "log", 500, func(piece audit.Piece, err error) bool {
		if err != nil || piece.First != 500 {
			t.Errorf("%d, %v", piece.First, err)
		}
		return false
	})
	if rows.read != 1 {
		t.Errorf("%d segments were read for one", rows.read)
	}
	rows, seen := &counted{}, uint64(0)
	Scan(t.Context(), rows, nil, View{Size: 1000, End: 1000}, "log", 0, func(piece audit.Piece, err error) bool {
		if err != nil || piece.First != seen {
			t.Errorf("%d after %d segments, %v", piece.First, seen, err)
		}
		seen++
		return true
	})
	if seen != 1000 || rows.read != 1000 || rows.queries > 18 {
		t.Errorf("%d segments, %d read in %d queries", seen, rows.read, rows.queries)
	}
}
