package site

import (
	"context"
	"iter"
	"runtime"
	"time"

	"github.com/fielato/fielato/audit"
)

const (
	// slice is how long pages read before one of them lets others go first.
	slice = 200 * time.Microsecond
	// crowded is from which time on that this takes the processors count as taken.
	crowded = 50 * time.Microsecond
	// restFor is how many times as long as was read a page rests then, and maxRest the longest rest.
	restFor, maxRest = 12, 75 * time.Millisecond
	// patience is how long a page waits for its turn.
	patience = 20 * time.Second
)

// share is the part of the processors that pages have. The gateway in the same process must not feel its
// readers: one page reads a store, or is made, at a time, and then keeps its turn twelve times as
// long as that took if others want the processors.
type share struct {
	// turn has room for the one that reads, and guards what follows.
	turn chan struct{}
	// since is when the read that has its turn began, and worked how long was read before it since the
	// last rest, by whom it may be.
	since  time.Time
	worked time.Duration
}

func newShare() *share { return &share{turn: make(chan struct{}, 1)} }

// enter waits for the turn. It returns ErrBusy after patience.
func (s *share) enter(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		s.since = time.Now()
		return nil
	default:
	}
	wait := time.NewTimer(patience)
	defer wait.Stop()
	select {
	case s.turn <- struct{}{}:
		s.since = time.Now()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-wait.C:
		return ErrBusy
	}
}

// leave ends the turn, with a rest if it is due.
func (s *share) leave() {
	s.worked += time.Since(s.since)
	if s.worked >= slice {
		s.rest()
	}
	<-s.turn
}

// rest lets others go first. How long that takes shows whether there are any.
func (s *share) rest() {
	began := time.Now()
	runtime.Gosched()
	if time.Since(began) > crowded {
		<-time.After(min(restFor*s.worked, maxRest))
	}
	s.worked = 0
}

// within calls do in the turn, if it is wanted.
func (s *share) within(wanted bool, do func() error) error {
	if wanted {
		if err := s.enter(context.Background()); err != nil {
			return err
		}
		defer s.leave()
	}
	return do()
}

// sharedStore is a store that pages read. What a page does between two records is not in its turn.
type sharedStore struct {
	audit.Store
	share *share
}

// within calls do in the turn.
func (s *sharedStore) within(ctx context.Context, do func() error) error {
	if err := s.share.enter(ctx); err != nil {
		return err
	}
	defer s.share.leave()
	return do()
}

// Get implements audit.Store.
func (s *sharedStore) Get(ctx context.Context, log string, index uint64) (r *audit.Record, err error) {
	err = s.within(ctx, func() error {
		r, err = s.Store.Get(ctx, log, index)
		return err
	})
	return r, err
}

// Reader implements audit.Reading: each record is read in the turn.
func (s *sharedStore) Reader(ctx context.Context, log string) (audit.RecordReader, error) {
	var records audit.RecordReader
	err := s.within(ctx, func() (err error) {
		records, err = audit.ReaderOf(ctx, s.Store, log)
		return err
	})
	if err != nil {
		return nil, err
	}
	return sharedReader{records, s}, nil
}

// sharedReader is a RecordReader that pages read.
type sharedReader struct {
	records audit.RecordReader
	store   *sharedStore
}

// Get implements audit.RecordReader.
func (s sharedReader) Get(ctx context.Context, index uint64) (r *audit.Record, err error) {
	err = s.store.within(ctx, func() error {
		r, err = s.records.Get(ctx, index)
		return err
	})
	return r, err
}

// Tile implements audit.Store.
func (s *sharedStore) Tile(ctx context.Context, log string, level int, n uint64) (hashes []byte, err error) {
	err = s.within(ctx, func() error {
		hashes, err = s.Store.Tile(ctx, log, level, n)
		return err
	})
	return hashes, err
}

// Leaves implements audit.Store.
func (s *sharedStore) Leaves(ctx context.Context, log string, first, end uint64) (hashes []byte, err error) {
	err = s.within(ctx, func() error {
		hashes, err = s.Store.Leaves(ctx, log, first, end)
		return err
	})
	return hashes, err
}

// Scan implements audit.Store.
func (s *sharedStore) Scan(ctx context.Context, log string, first uint64) iter.Seq2[audit.Piece, error] {
	return inTurn(ctx, s.share, s.Store.Scan(ctx, log, first))
}

// Search implements audit.Store.
func (s *sharedStore) Search(ctx context.Context, query audit.Query) iter.Seq2[*audit.Record, error] {
	return inTurn(ctx, s.share, s.Store.Search(ctx, query))
}

// inTurn yields what all does, in the turn of the share but for the consumer's part.
func inTurn[T any](ctx context.Context, share *share, all iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		entered := false
		defer func() {
			if entered {
				share.leave()
			}
		}()
		enter := func() error {
			err := share.enter(ctx)
			entered = err == nil
			return err
		}
		var none T
		if err := enter(); err != nil {
			yield(none, err)
			return
		}
		for one, err := range all {
			entered = false
			share.leave()
			if !yield(one, err) {
				return
			}
			if err := enter(); err != nil {
				yield(none, err)
				return
			}
		}
	}
}
