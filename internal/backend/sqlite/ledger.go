package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/openfiles"
)

// Ledger is a ledger in a SQLite file. It owns two goroutines, which Close stops.
type Ledger struct {
	// pool is for writing, and conn is the writer's connection from it. After Open
	// only the writer uses conn, then Close once the writer has ended.
	pool *sql.DB
	conn *sql.Conn
	// write and read hold the prepared statements of conn and reading.
	write, read statements
	reading     *sql.DB
	files       *openfiles.Files

	// jobs are waiting for the writer.
	jobs chan *job
	// overdue asks the checkpointer for a checkpoint.
	overdue chan struct{}
	// stop ends the checkpointer.
	stop    chan struct{}
	running sync.WaitGroup

	// mu guards closed and the closing of jobs. A sender on jobs holds it for
	// reading.
	mu     sync.RWMutex
	closed bool

	progress progress
}

// View runs fn on a snapshot of the ledger. ctx bounds the wait for a connection. A
// read takes microseconds and is not interrupted once it has begun.
func (l *Ledger) View(ctx context.Context, fn func(backend.Reader) error) error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.closed {
		return backend.ErrClosed
	}
	if err := lost(l.files.Gone()); err != nil {
		return err
	}
	conn, err := l.reading.Conn(ctx)
	if err != nil {
		return fmt.Errorf("ledger: connection for reading: %w", err)
	}
	defer conn.Close()
	tx, err := conn.BeginTx(context.Background(), nil)
	if err != nil {
		return fmt.Errorf("ledger: begin reading: %w", err)
	}
	defer func() { _ = tx.Rollback() }()
	return fn(&reader{prepared: l.read, tx: tx})
}

// Update runs fn in the writer's next transaction. If ctx ends before the writer has
// taken fn, fn does not run. After that Update waits for the outcome whatever ctx does:
// the caller must know whether fn was committed.
func (l *Ledger) Update(ctx context.Context, fn func(backend.Tx) error) error {
	j := &job{fn: fn, done: make(chan struct{})}
	if err := l.queue(ctx, j); err != nil {
		return err
	}
	select {
	case <-j.done:
		return j.err
	case <-ctx.Done():
		if j.take() {
			return ctx.Err()
		}
		<-j.done
		return j.err
	}
}

func (l *Ledger) queue(ctx context.Context, j *job) error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.closed {
		return backend.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case l.jobs <- j:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// lost explains an error of the open files: what they hold may have been given out in vain.
func lost(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("ledger: %w: put the folder back, or a backup of it, and start again", err)
}

// Close commits the waiting Updates and releases the file. It may be called more than
// once.
func (l *Ledger) Close() error {
	l.mu.Lock()
	already := l.closed
	l.closed = true
	l.mu.Unlock()
	if already {
		return nil
	}
	close(l.jobs)
	close(l.stop)
	l.running.Wait()
	return l.release()
}

// release closes all that is open. The last connection to close moves the write-ahead
// log into the main file, so those for reading, which may not write, close first.
func (l *Ledger) release() error {
	errs := []error{l.read.close(), l.write.close()}
	if l.reading != nil {
		errs = append(errs, l.reading.Close())
	}
	if l.conn != nil {
		errs = append(errs, l.conn.Close())
	}
	if l.pool != nil {
		errs = append(errs, l.pool.Close())
	}
	return errors.Join(errs...)
}
