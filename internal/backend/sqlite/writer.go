package sqlite

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/panics"
)

// maxGroup bounds the Updates of one transaction, and so how long the first waits for
// the last.
const maxGroup = 256

// job is an Update waiting for the writer.
type job struct {
	fn func(backend.Tx) error
	// taken is set by the writer when it runs the job, or by the caller when it gives
	// up on it, whichever is first.
	taken atomic.Bool
	// err is set by the writer before it closes done.
	err  error
	done chan struct{}
}

// take claims the job. It reports false if the other side was first.
func (j *job) take() bool { return j.taken.CompareAndSwap(false, true) }

// taskWrite names the writer's work in the report of a panic.
const taskWrite = "writing the ledger"

// writer commits groups of jobs until the queue is closed and empty.
func (l *Ledger) writer() {
	group := make([]*job, 0, maxGroup)
	for first := range l.jobs {
		group = l.gather(append(group[:0], first))
		err := panics.Do(taskWrite, func() error {
			l.commit(group)
			return nil
		})
		if err != nil {
			// This fails if no transaction is open, which does no harm.
			_, _ = l.conn.ExecContext(context.Background(), "ROLLBACK")
			fail(group, fmt.Errorf("ledger: commit: %w: %w", backend.ErrUncertain, err))
		}
		for _, j := range group {
			close(j.done)
		}
		clear(group) // or the slice would hold requests, and their secrets, until it is filled again
		l.finishCheckpoint()
	}
}

// gather adds the jobs already waiting. It does not wait for more: under load, the jobs
// that arrive during a commit form the next group.
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

// commit runs the group in one transaction and leaves the outcome of each job in its
// err. It has no caller's context: a caller that gives up must not undo the invoices of
// the others.
func (l *Ledger) commit(group []*job) {
	ctx := context.Background()
	if err := lost(l.files.Check()); err != nil {
		fail(group, err)
		return
	}
	if _, err := l.write[begin].ExecContext(ctx); err != nil {
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
		_, t.broken = l.write[commit].ExecContext(ctx)
	}
	if t.broken != nil || t.undo {
		// SQLite may have ended the transaction itself, as on a full disk. Then there
		// is nothing to roll back, and this fails.
		_, _ = l.conn.ExecContext(ctx, "ROLLBACK")
	}
	if t.broken != nil {
		fail(group, fmt.Errorf("ledger: commit: %w", t.broken))
		return
	}
	// SQLite writes to files that were removed without an error.
	if err := lost(l.files.Check()); err != nil {
		fail(group, err)
		return
	}
	l.progress.add(t.written)
	l.requestCheckpoint()
}

// fail sets err on every job of the group that has no error yet.
func fail(group []*job, err error) {
	for _, j := range group {
		j.take()
		if j.err == nil {
			j.err = err
		}
	}
}
