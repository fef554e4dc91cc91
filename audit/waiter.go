package audit

import (
	"sync/atomic"
)

// waiter is one record on its way, and the Append that waits for it.
type waiter struct {
	entry  Entry
	answer chan error // one answer, never given to a waiter that withdrew
	// state goes from waiting to taken (by the writer) or to withdrawn (by Append),
	// once: so a record whose Append gave up is never written.
	state atomic.Int32
	// confirmed is set by the writer, before it answers, if the record was already in the log.
	confirmed *position
}

// newWaiter returns a waiter for an entry.
func (w *Writer) newWaiter(entry Entry) *waiter {
	wt, ok := w.waiters.Get().(*waiter)
	if !ok {
		wt = &waiter{answer: make(chan error, 1)}
	}
	wt.entry = entry
	return wt
}

// free gives a waiter back that has its answer. The writer has dropped it before it answered, so nobody else has
// it. One that withdrew is still in the queue, and must not come here.
func (w *Writer) free(wt *waiter) {
	wt.entry, wt.confirmed = Entry{}, nil
	wt.state.Store(waiting)
	w.waiters.Put(wt)
}

const (
	waiting = iota
	taken
	withdrawn
)

func (w *waiter) take() bool     { return w.state.CompareAndSwap(waiting, taken) }
func (w *waiter) withdraw() bool { return w.state.CompareAndSwap(waiting, withdrawn) }
