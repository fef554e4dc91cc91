package sqlite

import (
	"context"
	"sync/atomic"

	"github.com/fielato/fielato/internal/panics"
)

const (
	// checkpointEvery is how many written rows make a checkpoint due. Each touches
	// about two pages of 4 KiB, so the write-ahead log stays at some tens of MiB.
	checkpointEvery = 4096
	// bytesPerRow is how much of a row's content counts as another row: a lot fills
	// pages of its own.
	bytesPerRow = 2 << 10
)

// progress is shared by the writer and the checkpointer.
type progress struct {
	// written counts the rows since the last checkpoint. Only the writer uses it.
	written int
	// moved is set when the checkpointer has moved the bulk of the log.
	moved atomic.Bool
}

func (p *progress) add(rows int) { p.written += rows }

// requestCheckpoint wakes the checkpointer when a checkpoint is due. It never waits.
func (l *Ledger) requestCheckpoint() {
	if l.progress.written < checkpointEvery {
		return
	}
	select {
	case l.overdue <- struct{}{}:
		l.progress.written = 0
	default:
	}
}

// taskCheckpoint names the checkpoint in the report of a panic.
const taskCheckpoint = "moving the ledger's write-ahead log"

// checkpointer moves the write-ahead log into the main file, beside the writer and
// without blocking it. A failed checkpoint loses nothing: the log grows until one
// succeeds.
func (l *Ledger) checkpointer() {
	for {
		select {
		case <-l.stop:
			return
		case <-l.overdue:
			l.checkpoint(context.Background())
		}
	}
}

func (l *Ledger) checkpoint(ctx context.Context) {
	defer panics.Catch(taskCheckpoint, nil)
	// The connection is from the writer's pool because those for reading may not
	// write, but it is not the writer's own.
	conn, err := l.pool.Conn(ctx)
	if err != nil {
		return
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)"); err == nil {
		l.progress.moved.Store(true)
	}
}

// finishCheckpoint moves what was written during the last checkpoint. The log can
// start over, instead of growing, only when nothing is left to move. Under load, only
// the writer can find that moment.
func (l *Ledger) finishCheckpoint() {
	defer panics.Catch(taskCheckpoint, nil)
	if l.progress.moved.CompareAndSwap(true, false) {
		_, _ = l.conn.ExecContext(context.Background(), "PRAGMA wal_checkpoint(PASSIVE)")
	}
}
