package audit

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Writer is the one writer of one log. It is safe for concurrent use.
//
// No two writers may write the same log at the same time. A store keeps another process away
// where it can (audit/sqlite does); in any case the second writer gets ErrConflict instead of
// doing damage.
type Writer struct {
	store    Store
	preparer Preparer // nil if the store has none
	log      string
	key      *Key
	options  Options
	queue    chan *waiter
	waiters  sync.Pool     // of *waiter
	done     chan struct{} // closed when the writer has returned

	// closing guards closed, and keeps queue open while an Append sends to it.
	closing sync.RWMutex
	closed  bool

	// size is the number of records known to be durable; only the writer sets it.
	size atomic.Uint64
	// checkpoint is the signed one over them; only the writer sets it.
	checkpoint atomic.Pointer[[]byte]
	// advanced is when these two were set, in nanoseconds since 1970; committing is the
	// number of records in the commit that is under way. Only the writer sets them.
	advanced   atomic.Int64
	committing atomic.Int64

	// tree is over the records known to be durable. It belongs to the writer.
	tree *Tree
	// signs is what all checkpoints have that the writer signs: it sets their size and root.
	signs Checkpoint

	// uncertain is the step whose commit failed without the store reporting how it ended, nil if
	// there is none. It belongs to the writer's goroutine.
	uncertain *step

	// confirmed are the records of uncertain commits that are in the log. It belongs to the
	// writer's goroutine.
	confirmed map[*Record]position
}

// Append writes the record and returns its index once it is durable. By then it has also set
// the record's Log, Index and Salt. The record must not be changed during the call.
//
// The errors:
//   - the context's own error: the record is not in the log and never will be. The context
//     counts until the record is taken into a batch; from there on Append waits for the
//     commit, however the context ends.
//   - ErrClosed: the writer was closed before; not in the log.
//   - ErrUncertain: the commit failed and the store did not report how it ended; the record
//     may be in the log. Appending the same Record again, unchanged, is safe: it is in the
//     log once.
//   - ErrConflict: not in the log. Another process has written it, or its end is lost. This
//     writer writes nothing more.
//   - ErrLost: not in the log, which is gone. This writer writes nothing more.
//   - Any other: not in the log.
func (w *Writer) Append(ctx context.Context, r *Record) (uint64, error) {
	return w.AppendWith(ctx, r, nil)
}

// AppendWith is Append, and changes a lease in the same commit, in a store with Leases. It fails with
// ErrLeaseTaken if the lease cannot be taken: the record is not in the log then.
func (w *Writer) AppendWith(ctx context.Context, r *Record, lease *LeaseChange) (uint64, error) {
	if r.Kind < KindExchange || r.Kind > KindOutage {
		return 0, fmt.Errorf("appending a record of kind %d: %w", r.Kind, ErrEncoding)
	}
	if r.Purge != nil && (r.Kind != KindAccess || r.IntentLog != "") {
		return 0, fmt.Errorf("appending a record of kind %s with a purge: %w", r.Kind, ErrEncoding)
	}
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("appending to log %q: %w", w.log, err)
	}
	if _, err := io.ReadFull(w.options.Random, r.Salt[:]); err != nil {
		return 0, fmt.Errorf("appending to log %q: %w", w.log, err)
	}
	buffer := encodings.Get().(*[]byte)
	form := r.Encode(slices.Grow((*buffer)[:0], r.EncodedSize()))
	*buffer = form.Content
	wt := w.newWaiter(Entry{Form: form, Leaf: form.Leaf(), Record: r, Lease: lease})
	if w.preparer != nil {
		wt.entry.Prepared = w.preparer.Prepare(form, r)
	}
	if err := w.enqueue(ctx, wt); err != nil {
		return 0, fmt.Errorf("appending to log %q: %w", w.log, err)
	}
	var err error
	select {
	case err = <-wt.answer:
	case <-ctx.Done():
		if wt.withdraw() {
			return 0, fmt.Errorf("appending to log %q: %w", w.log, ctx.Err())
		}
		err = <-wt.answer
	}
	index, confirmed := wt.entry.Index, wt.confirmed
	w.free(wt)
	if err != nil {
		return 0, fmt.Errorf("appending to log %q: %w", w.log, err)
	}
	// Commit has returned nil, so the store no longer needs the encoding.
	encodings.Put(buffer)
	r.Log, r.Index = w.log, index
	if confirmed != nil {
		r.Salt = confirmed.salt
	}
	return r.Index, nil
}

// encodings are buffers for records on their way.
var encodings = sync.Pool{New: func() any { return new([]byte) }}

func (w *Writer) enqueue(ctx context.Context, wt *waiter) error {
	w.closing.RLock()
	defer w.closing.RUnlock()
	if w.closed {
		return ErrClosed
	}
	select {
	case w.queue <- wt:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Size returns the number of records that are durable.
func (w *Writer) Size() uint64 { return w.size.Load() }

// Checkpoint returns the newest signed checkpoint that is durable, which is not to be
// changed. It does not ask the store.
func (w *Writer) Checkpoint() []byte { return *w.checkpoint.Load() }

// Advanced returns when the newest records became durable under Checkpoint; when the
// trail was opened and found sound, if nothing was appended since.
func (w *Writer) Advanced() time.Time { return time.Unix(0, w.advanced.Load()) }

// Waiting returns how many records were given to Append and are not durable yet.
func (w *Writer) Waiting() int { return len(w.queue) + int(w.committing.Load()) }

// Close writes what waits, stops the writer and returns when it has stopped. The
// store stays open. A second Close returns ErrClosed.
func (w *Writer) Close() error {
	w.closing.Lock()
	if w.closed {
		w.closing.Unlock()
		return ErrClosed
	}
	w.closed = true
	// No Append is sending: each holds closing while it does. Records in the queue by now are still
	// written, as the writer stops only at the end of the queue.
	close(w.queue)
	w.closing.Unlock()
	<-w.done
	return nil
}
