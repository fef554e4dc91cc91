package run

import "context"

// Rows reads the runs of one log. As they never change and never go, rows of one moment go together
// with rows of a later one: nothing here needs a transaction. Errors name the store.
type Rows interface {
	// Shape is Format, but in tests.
	Shape() Shape
	// Parts returns the runs of a level that begin at the index or after it, in order, at most limit of
	// them if that is not 0.
	Parts(ctx context.Context, level int, from uint64, limit int) ([]Row, error)
	// End returns where the last run of a level ends, 0 if there is none.
	End(ctx context.Context, level int) (uint64, error)
	// Cover returns the runs before the index that no larger run before it has, in order. Together they
	// have each record that is in a block before the index, once.
	Cover(ctx context.Context, before uint64) ([]Row, error)
	// Lists calls do with the lists of each span, which it numbers. Their order is any; an empty list may be
	// left out. The list is do's until it returns.
	Lists(ctx context.Context, spans []Span, do func(span int, first uint64, bucket int, list []byte) error) error
	// Begun returns the first record of the first run at the index or after it that has lists, and whether
	// there is one. Its merge may not have ended. It does not look at blocks.
	Begun(ctx context.Context, level int, from uint64) (first uint64, ok bool, err error)
	// Bounds returns the first and the last bucket that has a list in a run that is no block, and whether
	// there is one.
	Bounds(ctx context.Context, level int, first uint64) (least, last int, ok bool, err error)
	// Name names the store in errors.
	Name() string
}

// Span are the lists of some runs of a level in the buckets From <= bucket < To.
type Span struct {
	Level int
	// Firsts are the first records of the runs, in order.
	Firsts   []uint64
	From, To int
}

// Numbers returns the first records and the buckets as databases have numbers.
func (s *Span) Numbers() (firsts, buckets []int64) {
	for _, first := range s.Firsts {
		firsts = append(firsts, int64(first))
	}
	for bucket := s.From; bucket < s.To; bucket++ {
		buckets = append(buckets, int64(bucket))
	}
	return firsts, buckets
}
