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

const (
	waiting = iota
	taken
	withdrawn
)

func (w *waiter) take() bool     { return w.state.CompareAndSwap(waiting, taken) }
func (w *waiter) withdraw() bool { return w.state.CompareAndSwap(waiting, withdrawn) }
