package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/fielato/fielato/internal/panics"
)

// maxBatchBytes ends a batch although more records wait: a few large bodies must not make all
// callers wait for one long commit.
const maxBatchBytes = 4 << 20

// taskWrite names the work in the error of a panic.
const taskWrite = "writing the trail"

// write is the trail's one goroutine. Close ends it, by closing the queue.
func (w *Writer) write() {
	batch := make([]*waiter, 0, w.options.MaxBatch)
	for first := range w.queue {
		batch = w.gather(batch[:0], first)
		if len(batch) == 0 {
			continue
		}
		w.committing.Store(int64(len(batch)))
		err := panics.Do(taskWrite, func() (err error) {
			if err = w.resolveUncertain(); err == nil {
				batch = w.answerConfirmed(batch)
				err = w.commit(batch)
				var taken *LeasesTakenError
				for errors.As(err, &taken) {
					if batch, err = w.refuseTaken(batch, taken); err == nil {
						err = w.commit(batch)
					}
				}
			}
			return err
		})
		w.committing.Store(0)
		for i, wt := range batch {
			batch[i] = nil
			wt.answer <- err
		}
	}
}

// gather takes everything that waits, up to the bounds of a batch.
func (w *Writer) gather(batch []*waiter, first *waiter) []*waiter {
	w.yieldToAppends()
	size := 0
	for wt := first; wt != nil; wt = w.next() {
		if !wt.take() {
			continue
		}
		batch = append(batch, wt)
		size += wt.entry.Form.Len()
		if len(batch) == w.options.MaxBatch || size >= maxBatchBytes {
			break
		}
	}
	return batch
}

// yieldToAppends yields to the goroutines that are about to append, as long as more of them
// come. Callers whose records were committed together come back together; the first of them
// must not pay for a commit of its own.
func (w *Writer) yieldToAppends() {
	for n := -1; n < len(w.queue) && len(w.queue) < w.options.MaxBatch; {
		n = len(w.queue)
		runtime.Gosched()
	}
}

// next returns a waiter without waiting for one, nil if there is none.
func (w *Writer) next() *waiter {
	select {
	case wt := <-w.queue: // nil at the end of the queue
		return wt
	default:
		return nil
	}
}

// commit gives the batch its indexes and makes it durable. The context of no
// caller ends it: one caller that gives up must not fail the others.
func (w *Writer) commit(waiters []*waiter) error {
	if len(waiters) == 0 {
		return nil
	}
	ctx := context.Background()
	batch, next, err := w.seal(waiters)
	if err != nil {
		return err
	}
	began := w.options.Now()
	// A store that panics has not reported how the commit ended.
	err = panics.Do(taskWrite, func() error { return w.store.Commit(ctx, batch) })
	if errors.Is(err, ErrLeaseTaken) {
		return err
	}
	_ = panics.Do(taskWrite, func() error {
		w.options.Observe(len(waiters), w.options.Now().Sub(began), err)
		return nil
	})
	if err != nil {
		return w.resolve(ctx, &step{tree: next, checkpoint: batch.Checkpoint, entries: batch.Entries}, err)
	}
	w.advance(next, batch.Checkpoint)
	return nil
}

// refuseTaken answers the callers whose records take leases that cannot be had, and returns the others: one
// lease must not cost them their commit.
func (w *Writer) refuseTaken(batch []*waiter, taken *LeasesTakenError) ([]*waiter, error) {
	others := batch[:0]
	for _, wt := range batch {
		if lease := wt.entry.Lease; lease == nil || !lease.Take || !slices.Contains(taken.Names, lease.Name) {
			others = append(others, wt)
			continue
		}
		wt.answer <- ErrLeaseTaken
	}
	if len(others) == len(batch) {
		return batch, fmt.Errorf("the store refuses leases that no record takes: %s", taken.Names)
	}
	clear(batch[len(others):])
	return others, nil
}

// step is the state that a batch takes the log to.
type step struct {
	tree       *Tree
	checkpoint []byte
	entries    []Entry
	// positions are made of entries once the step is uncertain.
	positions map[*Record]position
}

// seal makes the batch, and the tree that the log has with it.
func (w *Writer) seal(waiters []*waiter) (Batch, *Tree, error) {
	next := w.tree.fork()
	batch := Batch{Log: w.log, First: next.Size(), Entries: make([]Entry, len(waiters))}
	for i, wt := range waiters {
		wt.entry.Index = next.Size()
		batch.Entries[i] = wt.entry
		batch.Tiles = next.Add(wt.entry.Leaf, batch.Tiles)
	}
	signs := w.signs
	signs.Size, signs.Root = next.Size(), next.Root()
	var err error
	batch.Checkpoint, err = signs.Sign(w.key)
	return batch, next, err
}

func (w *Writer) advance(to *Tree, checkpoint []byte) {
	w.tree = to
	w.size.Store(to.Size())
	w.checkpoint.Store(&checkpoint)
	w.advanced.Store(w.options.Now().UnixNano())
}

// resolve finds out how a commit ended that returned an error. It returns nil if the batch is
// there after all.
func (w *Writer) resolve(ctx context.Context, tried *step, failure error) error {
	if errors.Is(failure, ErrConflict) || errors.Is(failure, ErrLost) {
		return failure
	}
	there, err := w.inspectHead(ctx, tried)
	switch {
	case errors.Is(err, ErrConflict):
		return fmt.Errorf("%w; after: %w", err, failure)
	case err != nil:
		// Now: a caller that appends its record again gives it another salt.
		tried.positions = positions(tried.entries)
		tried.entries = nil
		w.uncertain = tried
		return fmt.Errorf("%w: %w; then %w", ErrUncertain, failure, err)
	case there:
		return nil
	}
	return failure
}

// resolveUncertain resolves the uncertain batch, if there is one. Its callers have got ErrUncertain. What
// counts here is where the next batch starts, and which records need not be written again.
func (w *Writer) resolveUncertain() error {
	if w.uncertain == nil {
		return nil
	}
	there, err := w.inspectHead(context.Background(), w.uncertain)
	if err != nil {
		return fmt.Errorf("resuming after an uncertain commit: %w", err)
	}
	if there {
		w.keepConfirmed(w.uncertain.positions)
	}
	w.uncertain = nil
	return nil
}

// inspectHead takes the step if the store has it, and reports whether it has. The checkpoint, which is
// over every record, distinguishes our own batch from one of the same length by another writer.
// A batch is there whole or not at all.
func (w *Writer) inspectHead(ctx context.Context, tried *step) (bool, error) {
	var head Head
	err := panics.Do(taskWrite, func() (err error) {
		head, err = w.store.Head(ctx, w.log)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("reading the head: %w", err)
	}
	switch {
	case head.Size == w.tree.Size():
		return false, nil
	case head.Size != tried.tree.Size():
		return false, fmt.Errorf("%w: %d records instead of %d or %d",
			ErrConflict, head.Size, w.tree.Size(), tried.tree.Size())
	case !bytes.Equal(head.Checkpoint, tried.checkpoint):
		return false, fmt.Errorf("%w: its checkpoint at %d is another one", ErrConflict, head.Size)
	}
	w.advance(tried.tree, tried.checkpoint)
	return true, nil
}
