package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/fielato/fielato/internal/panics"
)

// maxBatchBytes ends a batch although more records wait: a few large bodies must not make all
// callers wait for one long commit.
const maxBatchBytes = 4 << 20

// taskWrite names the work in the error of a panic.
const taskWrite = "writing the trail"

// write is the trail's one goroutine. Close ends it, by closing the queue.
func (t *Trail) write() {
	batch := make([]*waiter, 0, t.options.MaxBatch)
	for first := range t.queue {
		batch = t.gather(batch[:0], first)
		if len(batch) == 0 {
			continue
		}
		t.committing.Store(int64(len(batch)))
		err := panics.Do(taskWrite, func() (err error) {
			if err = t.resume(); err == nil {
				batch = t.recognise(batch)
				err = t.commit(batch)
			}
			return err
		})
		t.committing.Store(0)
		for i, w := range batch {
			batch[i] = nil
			w.answer <- err
		}
	}
}

// gather takes everything that waits, up to the bounds of a batch.
func (t *Trail) gather(batch []*waiter, first *waiter) []*waiter {
	t.letOthersQueue()
	size := 0
	for w := first; w != nil; w = t.next() {
		if !w.take() {
			continue
		}
		batch = append(batch, w)
		size += w.entry.Form.Len()
		if len(batch) == t.options.MaxBatch || size >= maxBatchBytes {
			break
		}
	}
	return batch
}

// letOthersQueue yields to the goroutines that are about to append, as long as more of them
// come. Callers whose records were committed together come back together; the first of them
// must not pay for a commit of its own.
func (t *Trail) letOthersQueue() {
	for n := -1; n < len(t.queue) && len(t.queue) < t.options.MaxBatch; {
		n = len(t.queue)
		runtime.Gosched()
	}
}

// next returns a waiter without waiting for one, nil if there is none.
func (t *Trail) next() *waiter {
	select {
	case w := <-t.queue: // nil at the end of the queue
		return w
	default:
		return nil
	}
}

// commit gives the batch its indexes and makes it durable. The context of no
// caller ends it: one caller that gives up must not fail the others.
func (t *Trail) commit(waiters []*waiter) error {
	if len(waiters) == 0 {
		return nil
	}
	ctx := context.Background()
	batch, next, err := t.seal(waiters)
	if err != nil {
		return err
	}
	began := t.options.Now()
	// A store that panics has not reported how the commit ended.
	err = panics.Do(taskWrite, func() error { return t.store.Commit(ctx, batch) })
	_ = panics.Do(taskWrite, func() error {
		t.options.Observe(len(waiters), t.options.Now().Sub(began), err)
		return nil
	})
	if err != nil {
		return t.settle(ctx, &step{tree: next, checkpoint: batch.Checkpoint, entries: batch.Entries}, err)
	}
	t.advance(next, batch.Checkpoint)
	return nil
}

// step is what the log is to become with a batch.
type step struct {
	tree       *Tree
	checkpoint []byte
	entries    []Entry
	// landings are made of entries once the step is in doubt.
	landings map[*Record]landing
}

// seal makes the batch, and the tree that the log has with it.
func (t *Trail) seal(waiters []*waiter) (Batch, *Tree, error) {
	next := t.tree.fork()
	batch := Batch{Log: t.log, First: next.Size(), Entries: make([]Entry, len(waiters))}
	for i, w := range waiters {
		w.entry.Index = next.Size()
		batch.Entries[i] = w.entry
		batch.Tiles = next.Add(w.entry.Leaf, batch.Tiles)
	}
	var err error
	batch.Checkpoint, err = Checkpoint{
		Origin: Origin(t.log), Size: next.Size(), Root: next.Root(), Purges: true, PurgesFrom: t.purgesFrom,
	}.Sign(t.key)
	return batch, next, err
}

func (t *Trail) advance(to *Tree, checkpoint []byte) {
	t.tree = to
	t.size.Store(to.Size())
	t.checkpoint.Store(&checkpoint)
	t.advanced.Store(t.options.Now().UnixNano())
}

// settle finds out how a commit ended that returned an error. It returns nil if the batch is
// there after all.
func (t *Trail) settle(ctx context.Context, tried *step, failure error) error {
	if errors.Is(failure, ErrConflict) {
		return failure
	}
	there, err := t.look(ctx, tried)
	switch {
	case errors.Is(err, ErrConflict):
		return fmt.Errorf("%w; after: %w", err, failure)
	case err != nil:
		// Now: a caller that appends its record again gives it another salt.
		tried.landings = landings(tried.entries)
		tried.entries = nil
		t.doubt = tried
		return fmt.Errorf("%w: %w; then %w", ErrUncertain, failure, err)
	case there:
		return nil
	}
	return failure
}

// resume settles the uncertain batch, if there is one. Its callers have got ErrUncertain. What
// counts here is where the next batch starts, and which records need not be written again.
func (t *Trail) resume() error {
	if t.doubt == nil {
		return nil
	}
	there, err := t.look(context.Background(), t.doubt)
	if err != nil {
		return fmt.Errorf("resuming after an uncertain commit: %w", err)
	}
	if there {
		t.remember(t.doubt.landings)
	}
	t.doubt = nil
	return nil
}

// look takes the step if the store has it, and reports whether it has. The checkpoint, which is
// over every record, distinguishes our own batch from one of the same length by another writer.
// A batch is there whole or not at all.
func (t *Trail) look(ctx context.Context, tried *step) (bool, error) {
	var head Head
	err := panics.Do(taskWrite, func() (err error) {
		head, err = t.store.Head(ctx, t.log)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("reading the head: %w", err)
	}
	switch {
	case head.Size == t.tree.Size():
		return false, nil
	case head.Size != tried.tree.Size():
		return false, fmt.Errorf("%w: %d records instead of %d or %d",
			ErrConflict, head.Size, t.tree.Size(), tried.tree.Size())
	case !bytes.Equal(head.Checkpoint, tried.checkpoint):
		return false, fmt.Errorf("%w: its checkpoint at %d is another one", ErrConflict, head.Size)
	}
	t.advance(tried.tree, tried.checkpoint)
	return true, nil
}
