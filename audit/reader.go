package audit

import "context"

// RecordReader reads records of one log. It is not for concurrent use.
type RecordReader interface {
	// Get returns one record (ErrNotFound).
	Get(ctx context.Context, index uint64) (*Record, error)
}

// Reading is an optional part of a Store that keeps neighbours together: a RecordReader reads what several
// records share once, where Store.Get would read it for each of them.
type Reading interface {
	// Reader returns a RecordReader of a log. A log that does not exist has no records.
	Reader(ctx context.Context, log string) (RecordReader, error)
}

// ReaderOf returns a RecordReader of a log of any store.
func ReaderOf(ctx context.Context, store Store, log string) (RecordReader, error) {
	if s, ok := store.(Reading); ok {
		return s.Reader(ctx, log)
	}
	return getter{store, log}, nil
}

// getter is the RecordReader of a store that has none.
type getter struct {
	store Store
	log   string
}

// Get implements RecordReader.
func (g getter) Get(ctx context.Context, index uint64) (*Record, error) {
	return g.store.Get(ctx, g.log, index)
}
