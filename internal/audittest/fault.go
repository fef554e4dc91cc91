package audittest

import (
	"context"
	"errors"
	"sync"

	"github.com/fielato/fielato/audit"
)

// ErrInjected is the error of a Faulty store.
var ErrInjected = errors.New("injected fault")

// Fault is how a Commit fails.
type Fault uint8

const (
	// FaultBefore: nothing of the batch is written.
	FaultBefore Fault = iota + 1
	// FaultAfter: the batch is durable, but an error is returned.
	FaultAfter
	// FaultAfterSilent is FaultAfter, and the next Head fails too.
	FaultAfterSilent
	// FaultBeforeSilent is FaultBefore, and the next Head fails too.
	FaultBeforeSilent
)

// Faulty is a store whose Commits fail on demand.
type Faulty struct {
	audit.Store

	mu      sync.Mutex    // guards the rest
	faults  map[int]Fault // by the number of the Commit, from 1
	commits int
	mute    bool          // the next Head fails
	held    chan struct{} // Commits wait until it is closed, nil: they do not
	entered chan struct{} // gets one item for each Commit that waits at held
}

// NewFaulty returns a store that passes everything on to inner, except for the
// Commits in faults, counted from 1. A Commit of a checkpoint alone does not count.
func NewFaulty(inner audit.Store, faults map[int]Fault) *Faulty {
	return &Faulty{Store: inner, faults: faults, entered: make(chan struct{}, 1024)}
}

// Hold makes every Commit wait from now on until release is called. Each sends to
// entered when it waits.
func (f *Faulty) Hold() (entered <-chan struct{}, release func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	held := make(chan struct{})
	f.held = held
	return f.entered, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.held = nil
		close(held)
	}
}

// Commit implements audit.Store.
func (f *Faulty) Commit(ctx context.Context, batch audit.Batch) error {
	if len(batch.Entries) == 0 {
		return f.Store.Commit(ctx, batch)
	}
	f.mu.Lock()
	f.commits++
	fault, held := f.faults[f.commits], f.held
	f.mute = fault == FaultAfterSilent || fault == FaultBeforeSilent
	f.mu.Unlock()
	if held != nil {
		f.entered <- struct{}{}
		<-held
	}
	switch fault {
	case FaultBefore, FaultBeforeSilent:
		return ErrInjected
	case FaultAfter, FaultAfterSilent:
		if err := f.Store.Commit(ctx, batch); err != nil {
			return err
		}
		return ErrInjected
	}
	return f.Store.Commit(ctx, batch)
}

// Head implements audit.Store.
func (f *Faulty) Head(ctx context.Context, log string) (audit.Head, error) {
	f.mu.Lock()
	mute := f.mute
	f.mute = false
	f.mu.Unlock()
	if mute {
		return audit.Head{}, ErrInjected
	}
	return f.Store.Head(ctx, log)
}

// Commits returns how often Commit was called.
func (f *Faulty) Commits() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.commits
}
