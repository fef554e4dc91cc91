package sqlite

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/fielato/fielato/backend"
	"github.com/fielato/fielato/internal/panics"
)

// maxGroup bounds the Updates of one transaction, and with it how long the first
// of them waits for the last.
const maxGroup = 256

// job is one Update that waits for the writer.
type job struct {
	fn func(backend.Tx) error
	// taken is set by the first of two: the writer that runs the job, or the
	// caller that gives up on it.
	taken atomic.Bool
	// err is written by the writer before it closes done.
	err  error
	done chan struct{}
}

// take reports whether the caller is the one who decides on the job.
func (j *job) take() bool { return j.taken.CompareAndSwap(false, true) }

// taskWrite is what a panic is told to have happened in.
const taskWrite = "writing the ledger"

// writer commits groups of jobs until there will be no more.
func (l *Ledger) writer() {
	group := make([]*job, 0, maxGroup)
	for first := range l.jobs {
		group = l.gather(append(group[:0], first))
		err := panics.Do(taskWrite, func() error {
			l.commit(group)
			return nil
		})
		if err != nil {
			// Whatever is open is undone; where nothing is, this fails.
			_, _ = l.conn.ExecContext(context.Background(), "ROLLBACK")
			fail(group, fmt.Errorf("ledger: commit: %w: %w", backend.ErrUncertain, err))
		}
		for _, j := range group {
			close(j.done)
		}
		clear(group) // else it holds their requests, with what is secret in them, until others take their places
		l.finishCheckpoint()
	}
}

// gather adds what waits already. It does not wait for more: under load, what
// arrives during a commit is the next group.
func (l *Ledger) gather(group []*job) []*job {
	for len(group) < maxGroup {
		select {
		case j, ok := <-l.jobs:
			if !ok {
				return group
			}
			group = append(group, j)
		default:
			return group
		}
	}
	return group
}

// commit runs the group in one transaction and leaves the outcome of each job in
// its err. It is not bound to any caller's context: one who leaves must not take
// the others' invoices along.
func (l *Ledger) commit(group []*job) {
	ctx := context.Background()
	if _, err := l.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		fail(group, fmt.Errorf("ledger: begin: %w", err))
		return
	}
	t := &tx{reader: reader{prepared: l.write}, exec: l.conn, shared: len(group) > 1}
	for _, j := range group {
		if j.take() {
			j.err = t.run(ctx, j.fn)
		}
	}
	if t.broken == nil && !t.undo {
		t.broken = t.flush(ctx)
	}
	if t.broken == nil && !t.undo {
		_, t.broken = l.conn.ExecContext(ctx, "COMMIT")
	}
	if t.broken != nil || t.undo {
		// The connection may have left the transaction by itself (a full disk):
		// then there is nothing to roll back, and this fails.
		_, _ = l.conn.ExecContext(ctx, "ROLLBACK")
	}
	if t.broken != nil {
		fail(group, fmt.Errorf("ledger: commit: %w", t.broken))
		return
	}
	l.progress.add(t.written)
	l.requestCheckpoint()
}

// fail gives the error to every job that would have succeeded.
func fail(group []*job, err error) {
	for _, j := range group {
		j.take()
		if j.err == nil {
			j.err = err
		}
	}
}
