package trail

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/panics"
)

// maxBacklog bounds the backlog with on_failure forward, in bytes of records. If exchanges are
// refused instead, no bound is needed: only outcomes of requests already sent are added, and
// their bodies were in memory before.
var maxBacklog int64 = 64 << 20

// retryPause is the pause after the store has refused an entry of the backlog.
const retryPause = time.Second

// errBacklog: records wait to be written to the trail.
var errBacklog = errors.New("records could not be written yet")

// backlog holds records that could not be written although their exchanges were completed. They
// are written in the order in which they came, so that an intent precedes its outcome, as soon
// as the store takes them. One goroutine does that. It lives while there are entries, and end
// stops it.
type backlog struct {
	// write makes a record durable. drained is called when the backlog has become empty.
	write   func(*Entry) (uint64, error)
	drained func()
	// length is the length of queue, to be read without mu.
	length atomic.Int64
	// wake asks for an attempt at once; stop ends the goroutine.
	wake, stop chan struct{}
	running    sync.WaitGroup

	mu    sync.Mutex // guards what follows
	queue []*Entry
	bytes int64
	// next is the attempt under way or the one to come, nil while there are no entries.
	next   *attempt
	closed bool
}

// Entry is a record in the backlog. The backlog guards the fields after record.
type Entry struct {
	record *audit.Record
	// snapshot is the record as it came: searches of the backlog read it while record is being
	// written.
	snapshot audit.Record
	// intent is the entry of an outcome's intent, nil unless that was in the backlog too.
	intent *Entry
	// lease is the change that the record's commit makes, nil for none.
	lease *audit.LeaseChange
	// written: the record stands at index.
	written bool
	index   uint64
}

// attempt is one pass over the whole backlog.
type attempt struct {
	done chan struct{}
	err  error // set before done is closed
}

func newBacklog(write func(*Entry) (uint64, error), drained func()) *backlog {
	return &backlog{write: write, drained: drained, wake: make(chan struct{}, 1), stop: make(chan struct{})}
}

// add appends an entry, and returns it. It returns nil if the backlog is closed, or would hold more
// bytes than limit; 0 is no limit.
func (b *backlog) add(e *Entry, limit int64) *Entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	size := footprint(e.record)
	if b.closed || limit > 0 && b.bytes+size > limit {
		return nil
	}
	e.snapshot = *e.record
	b.queue = append(b.queue, e)
	b.bytes += size
	b.count(1)
	if b.next == nil {
		b.next = &attempt{done: make(chan struct{})}
		panics.Go(&b.running, taskDrain, b.drain)
	}
	return e
}

// footprint estimates the memory that a record holds, in bytes.
func footprint(r *audit.Record) int64 {
	return int64(1024 + len(r.Request) + len(r.Answer) + r.Client.Size() + r.Service.Size() + 64*len(r.Vouchers) + 512*len(r.Findings))
}

// count updates length and the metric. The caller holds mu.
func (b *backlog) count(change int64) {
	b.length.Add(change)
	pendingOutcomes.Add(float64(change))
}

// flush asks for an attempt at once. It returns nil once the backlog is empty, or the error of
// an attempt that ended after the call.
func (b *backlog) flush(ctx context.Context) error {
	if b.length.Load() == 0 {
		return nil
	}
	b.mu.Lock()
	next := b.next
	b.mu.Unlock()
	if next == nil {
		return nil
	}
	select {
	case b.wake <- struct{}{}:
	default: // it is awake
	}
	select {
	case <-next.done:
		return next.err
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", errBacklog, ctx.Err())
	}
}

// position returns the index of an entry's record, false if it is not written yet.
func (b *backlog) position(e *Entry) (uint64, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return e.index, e.written
}

// records returns the records of the backlog, the newest first.
func (b *backlog) records() []*audit.Record {
	if b.length.Load() == 0 {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make([]*audit.Record, 0, len(b.queue))
	for _, e := range slices.Backward(b.queue) {
		all = append(all, &e.snapshot)
	}
	return all
}

// taskDrain names the task in the report of a panic.
const taskDrain = "writing what is owed to the trail"

// drain tries until the backlog is empty.
func (b *backlog) drain() {
	for {
		err := panics.Do(taskDrain, b.attempt)
		if b.conclude(err) {
			b.drained()
			return
		}
		if err == nil {
			continue // a record was added after the last was written
		}
		retry := time.NewTimer(retryPause)
		select {
		case <-retry.C:
		case <-b.wake:
		case <-b.stop:
			retry.Stop()
			b.conclude(audit.ErrClosed)
			return
		}
		retry.Stop()
	}
}

// attempt writes the entries, up to the first that cannot be written.
func (b *backlog) attempt() error {
	for e := b.first(); e != nil; e = b.first() {
		index, err := b.write(e)
		if err != nil {
			return fmt.Errorf("%w: %w", errBacklog, err)
		}
		b.mu.Lock()
		e.index, e.written = index, true
		b.queue[0] = nil
		b.queue = b.queue[1:]
		b.bytes -= footprint(e.record)
		b.count(-1)
		b.mu.Unlock()
	}
	return nil
}

// first returns the entry to be written next, nil if there is none. An outcome gets the index of
// its intent, which came before it and so is written by now.
func (b *backlog) first() *Entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.queue) == 0 {
		return nil
	}
	e := b.queue[0]
	if e.intent != nil {
		e.record.Intent = e.intent.index
	}
	return e
}

// conclude gives the result of an attempt to all callers waiting for it. It reports whether the
// backlog is empty.
func (b *backlog) conclude(err error) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next.err = err
	close(b.next.done)
	if len(b.queue) == 0 {
		b.next = nil
		return true
	}
	b.next = &attempt{done: make(chan struct{})}
	return false
}

// end stops the goroutine, tries once more, and returns the entries that could not be written:
// they are lost. Nothing may be added or waited for any more.
func (b *backlog) end() (lost []*Entry, err error) {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	close(b.stop)
	b.running.Wait()
	err = b.attempt()
	b.mu.Lock()
	defer b.mu.Unlock()
	lost, b.queue = b.queue, nil
	b.count(-int64(len(lost)))
	return lost, err
}
