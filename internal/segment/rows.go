package segment

import (
	"context"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/segment/frame"
	"github.com/fielato/fielato/internal/segment/run"
)

// Rows reads what a store keeps of one log. As records never change and never go, rows of
// one moment go together with rows of a later one: nothing here needs a transaction. Errors name
// the store.
type Rows interface {
	// Segment returns some columns of the last segment that begins at the index or before
	// it, and whether there is one.
	Segment(ctx context.Context, index uint64, columns Columns) (row *Row, ok bool, err error)
	// Segments calls do for each segment with from <= First < to, in order, at most limit of
	// them if that is not 0. The row is do's until it returns, the bytes in it for ever.
	Segments(ctx context.Context, from, to uint64, columns Columns, limit int, do func(*Row) error) error
	// DataKey returns the data key with this number, wrapped, and its period; nil for one
	// that is not there.
	DataKey(ctx context.Context, number int64) (period audit.Period, wrapped []byte, err error)
	// Rows has the search index, whose runs of level 0 are the blocks.
	run.Rows
}

// Row is a segment as it stands in its row, or what was asked for of it.
type Row struct {
	// First is the index of its first record.
	First uint64
	// Purged is how much of the content is gone: PurgedNone, PurgedAll or PurgedSome.
	Purged int
	// Key is the number of the data key that Content is sealed with, nil for none.
	Key *int64
	// Keys are what records are found by. Leaves is a hash for each record, or nothing where
	// tiles have them. All but Leaves are packed.
	Keys, Leaves, Summaries, Content []byte
	// Length is the length of Content.
	Length int64
}

// The states of a segment's content.
const (
	PurgedNone = iota
	PurgedAll
	PurgedSome
)

// Columns are the columns of a segment that are read beside First. Content comes last in a row: a
// read without it stops before.
type Columns uint8

// Sets of columns that are read together.
const (
	ColumnKeys Columns = iota
	ColumnSummaries
	ColumnLeaves
	// ColumnFound is for a search without content.
	ColumnFound
	// ColumnContent is the content and what opens it. Of the keys it has the first bytes alone,
	// which hold the number of records.
	ColumnContent
	// ColumnOutline is what a purge reads first: everything but the content itself.
	ColumnOutline
	ColumnAll
)

// SQL returns the columns for a SELECT.
func (c Columns) SQL() string {
	return [...]string{
		"keys", "summaries", "leaves", "keys, summaries", "purged, key, substr(keys, 1, 10), content",
		"purged, key, keys, length(content)", "purged, key, keys, leaves, summaries, content",
	}[c]
}

// Into returns where the columns go, in the order of SQL.
func (r *Row) Into(c Columns) []any {
	switch c {
	case ColumnKeys:
		return []any{&r.Keys}
	case ColumnSummaries:
		return []any{&r.Summaries}
	case ColumnLeaves:
		return []any{&r.Leaves}
	case ColumnFound:
		return []any{&r.Keys, &r.Summaries}
	case ColumnContent:
		return []any{&r.Purged, &r.Key, &r.Keys, &r.Content}
	case ColumnOutline:
		return []any{&r.Purged, &r.Key, &r.Keys, &r.Length}
	}
	return []any{&r.Purged, &r.Key, &r.Keys, &r.Leaves, &r.Summaries, &r.Content}
}

// View is a log at one moment, taken by one statement: two of them could see two moments.
// As records never change and never go, it stays true: later reads need no transaction.
type View struct {
	// Size is the number of records, Indexed the number of records in blocks; the tail follows.
	Size, Indexed uint64
	// End is the index after the one at which the last segment begins, 0 if there is none.
	End uint64
	// Checkpoint is the one over these records, nil if there is none.
	Checkpoint []byte
}

// NewView makes the view of a log whose last segment begins at last and has keys that begin
// with head, both nil for a log without records; next is the end of its last block.
func NewView(last *int64, head []byte, next *int64, checkpoint []byte) (View, error) {
	v := View{Checkpoint: checkpoint}
	if last != nil {
		count, _, ok := frame.TakeUvarint(head)
		if !ok {
			return View{}, frame.ErrDamaged
		}
		v.End = uint64(*last) + 1
		v.Size = uint64(*last) + count
	}
	if next != nil {
		v.Indexed = uint64(*next)
	}
	return v, nil
}

// MaxIndex is the largest index of a record: a store may keep the log in the bits above.
const MaxIndex = 1<<40 - 1
