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

// Trail is the one writer of one log. It is safe for concurrent use.
//
// No two writers may write the same log at the same time. A store keeps another process away
// where it can (audit/sqlite does); in any case the second writer gets ErrConflict instead of
// doing damage.
type Trail struct {
	store    Store
	preparer Preparer // nil if the store has none
	log      string
	key      *Key
	options  Options
	queue    chan *waiter
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
	// purgesFrom is Checkpoint.PurgesFrom of all that the writer signs.
	purgesFrom uint64

	// doubt is the step whose commit failed without the store reporting how it ended, nil if
	// there is none. It belongs to the writer's goroutine.
	doubt *step

	// landed are the records of uncertain commits that are in the log. It belongs to the
	// writer's goroutine.
	landed map[*Record]landing
}

// Append writes the record and returns its index once it is durable. Then it has also set the
// record's Log, Index and Salt. The record must not be changed meanwhile.
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
//   - Any other: not in the log.
func (t *Trail) Append(ctx context.Context, r *Record) (uint64, error) {
	if r.Kind < KindExchange || r.Kind > KindOutage {
		return 0, fmt.Errorf("appending a record of kind %d: %w", r.Kind, ErrEncoding)
	}
	if r.Purge != nil && (r.Kind != KindAccess || r.IntentLog != "") {
		return 0, fmt.Errorf("appending a record of kind %s with a purge: %w", r.Kind, ErrEncoding)
	}
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("appending to log %q: %w", t.log, err)
	}
	if _, err := io.ReadFull(t.options.Random, r.Salt[:]); err != nil {
		return 0, fmt.Errorf("appending to log %q: %w", t.log, err)
	}
	room := encodings.Get().(*[]byte)
	form := r.Encode(slices.Grow((*room)[:0], r.EncodedSize()))
	*room = form.Content
	w := &waiter{entry: Entry{Form: form, Leaf: form.Leaf(), Record: r}, answer: make(chan error, 1)}
	if t.preparer != nil {
		w.entry.Prepared = t.preparer.Prepare(form, r)
	}
	if err := t.enqueue(ctx, w); err != nil {
		return 0, fmt.Errorf("appending to log %q: %w", t.log, err)
	}
	var err error
	select {
	case err = <-w.answer:
	case <-ctx.Done():
		if w.withdraw() {
			return 0, fmt.Errorf("appending to log %q: %w", t.log, ctx.Err())
		}
		err = <-w.answer
	}
	if err != nil {
		return 0, fmt.Errorf("appending to log %q: %w", t.log, err)
	}
	// Commit has returned nil, so the store does not look at the encoding any more.
	encodings.Put(room)
	r.Log, r.Index = t.log, w.entry.Index
	if w.landed != nil {
		r.Salt = w.landed.salt
	}
	return r.Index, nil
}

// encodings are buffers for records on their way.
var encodings = sync.Pool{New: func() any { return new([]byte) }}

func (t *Trail) enqueue(ctx context.Context, w *waiter) error {
	t.closing.RLock()
	defer t.closing.RUnlock()
	if t.closed {
		return ErrClosed
	}
	select {
	case t.queue <- w:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Size returns the number of records that are durable.
func (t *Trail) Size() uint64 { return t.size.Load() }

// Checkpoint returns the newest signed checkpoint that is durable, which is not to be
// changed. It does not ask the store.
func (t *Trail) Checkpoint() []byte { return *t.checkpoint.Load() }

// Advanced returns when the newest records became durable under Checkpoint; when the
// trail was opened and found sound, if nothing was appended since.
func (t *Trail) Advanced() time.Time { return time.Unix(0, t.advanced.Load()) }

// Waiting returns how many records were given to Append and are not durable yet.
func (t *Trail) Waiting() int { return len(t.queue) + int(t.committing.Load()) }

// Close writes what waits, stops the writer and returns when it has stopped. The
// store stays open. A second Close returns ErrClosed.
func (t *Trail) Close() error {
	t.closing.Lock()
	if t.closed {
		t.closing.Unlock()
		return ErrClosed
	}
	t.closed = true
	// No Append is sending: each holds closing while it does. What is in the queue
	// by now is still written, as the writer stops at the end of the queue only.
	close(t.queue)
	t.closing.Unlock()
	<-t.done
	return nil
}
