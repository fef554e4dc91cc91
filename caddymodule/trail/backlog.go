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

// MaxOwed bounds what is owed to a trail while exchanges go on without it, in bytes of
// records. Where exchanges are refused instead there is no bound and needs none: only
// outcomes of what had been sent before are owed, and their bodies were in memory. It
// is a variable for tests alone.
var MaxOwed int64 = 64 << 20

// retryOwed is how long a store is left alone after it has refused what is owed.
const retryOwed = time.Second

// ErrOwed says that records are owed to the trail.
var ErrOwed = errors.New("records could not be written yet")

// debt is what a trail is owed: records that could not be written although their
// exchanges went on. They are written in the order in which they came, an intent so
// before its outcome, as soon as the store takes them. One goroutine does that, which
// is there while something is owed; end stops it.
type debt struct {
	// write makes a record durable, paid is told when nothing is owed any more.
	write func(*audit.Record) (uint64, error)
	paid  func()
	// amount is the length of queue, to be read without mu.
	amount atomic.Int64
	// wake asks for an attempt at once; stop ends the goroutine.
	wake, stop chan struct{}
	running    sync.WaitGroup

	mu    sync.Mutex // guards what follows
	queue []*Owed
	bytes int64
	// next is the attempt that is under way or comes next, nil while nothing is owed.
	next   *attempt
	closed bool
}

// Owed is one record that is owed. The fields after record belong to its debt.
type Owed struct {
	record *audit.Record
	// seen is the record as it was when it came: who searches what is owed reads it while
	// record is written.
	seen audit.Record
	// intent is that of an outcome, where it was owed too.
	intent *Owed
	// written tells that index is where the record stands.
	written bool
	index   uint64
}

// attempt is one time that everything owed is tried.
type attempt struct {
	done chan struct{}
	err  error // set before done is closed
}

func newDebt(write func(*audit.Record) (uint64, error), paid func()) *debt {
	return &debt{write: write, paid: paid, wake: make(chan struct{}, 1), stop: make(chan struct{})}
}

// add takes a record, whose intent is nil unless that is owed too. It returns nil if
// limit is not 0 and more bytes than that would be owed.
func (d *debt) add(r *audit.Record, intent *Owed, limit int64) *Owed {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || limit > 0 && d.bytes+footprint(r) > limit {
		return nil
	}
	o := &Owed{record: r, seen: *r, intent: intent}
	d.queue = append(d.queue, o)
	d.bytes += footprint(r)
	d.count(1)
	if d.next == nil {
		d.next = &attempt{done: make(chan struct{})}
		panics.Go(&d.running, taskOwed, d.pay)
	}
	return o
}

// footprint is about how much memory a record holds, in bytes.
func footprint(r *audit.Record) int64 {
	return int64(1024 + len(r.Request) + len(r.Answer) + 64*len(r.Vouchers) + 512*len(r.Findings))
}

// count keeps amount and the metric. The caller holds mu.
func (d *debt) count(change int64) {
	d.amount.Add(change)
	pendingOutcomes.Add(float64(change))
}

// settle returns nil once nothing is owed, or the error of an attempt that ended after
// it was called.
func (d *debt) settle(ctx context.Context) error {
	if d.amount.Load() == 0 {
		return nil
	}
	d.mu.Lock()
	next := d.next
	d.mu.Unlock()
	if next == nil {
		return nil
	}
	select {
	case d.wake <- struct{}{}:
	default: // it is awake
	}
	select {
	case <-next.done:
		return next.err
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ErrOwed, ctx.Err())
	}
}

// place returns where a record that was owed stands, false if it is owed still.
func (d *debt) place(o *Owed) (uint64, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return o.index, o.written
}

// records returns what is owed, the newest first.
func (d *debt) records() []*audit.Record {
	if d.amount.Load() == 0 {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	all := make([]*audit.Record, 0, len(d.queue))
	for _, o := range slices.Backward(d.queue) {
		all = append(all, &o.seen)
	}
	return all
}

// taskOwed is what a panic is told to have happened in.
const taskOwed = "writing what is owed to the trail"

// pay tries until nothing is owed.
func (d *debt) pay() {
	for {
		err := panics.Do(taskOwed, d.attempt)
		if d.conclude(err) {
			d.paid()
			return
		}
		if err == nil {
			continue // somebody came when the last was just written
		}
		retry := time.NewTimer(retryOwed)
		select {
		case <-retry.C:
		case <-d.wake:
		case <-d.stop:
			retry.Stop()
			d.conclude(audit.ErrClosed)
			return
		}
		retry.Stop()
	}
}

// attempt writes what is owed, up to the first that cannot be written.
func (d *debt) attempt() error {
	for o := d.first(); o != nil; o = d.first() {
		index, err := d.write(o.record)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrOwed, err)
		}
		d.mu.Lock()
		o.index, o.written = index, true
		d.queue[0] = nil
		d.queue = d.queue[1:]
		d.bytes -= footprint(o.record)
		d.count(-1)
		d.mu.Unlock()
	}
	return nil
}

// first returns the record that is to be written next, nil if there is none. An
// outcome names its intent, which came before it and so stands in the trail by now.
func (d *debt) first() *Owed {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.queue) == 0 {
		return nil
	}
	o := d.queue[0]
	if o.intent != nil {
		o.record.Intent = o.intent.index
	}
	return o
}

// conclude tells who waits how the attempt ended, and reports whether nothing is owed
// any more.
func (d *debt) conclude(err error) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.next.err = err
	close(d.next.done)
	if len(d.queue) == 0 {
		d.next = nil
		return true
	}
	d.next = &attempt{done: make(chan struct{})}
	return false
}

// end stops the goroutine, tries once more, and returns what could not be written:
// it is lost. Nothing may be added or waited for any more.
func (d *debt) end() (lost []*Owed, err error) {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	close(d.stop)
	d.running.Wait()
	err = d.attempt()
	d.mu.Lock()
	defer d.mu.Unlock()
	lost, d.queue = d.queue, nil
	d.count(-int64(len(lost)))
	return lost, err
}
