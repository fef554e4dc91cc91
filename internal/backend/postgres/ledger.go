package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/postgres"
)

// Ledger is a ledger in a PostgreSQL database. It owns its writers, which Close stops.
type Ledger struct {
	pool    *postgres.Pool
	queue   *queue
	serials serials
	// settleWithin is Options.SettleWithin.
	settleWithin time.Duration
	running      sync.WaitGroup

	// mu guards closed. A View holds it for reading until it ends.
	mu     sync.RWMutex
	closed bool
}

// View runs fn on a snapshot of the ledger, which waits for no writer. ctx bounds the wait
// for a connection. A long export keeps the server from removing old row versions.
func (l *Ledger) View(ctx context.Context, fn func(backend.Reader) error) error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.closed {
		return backend.ErrClosed
	}
	var tx pgx.Tx
	err := l.pool.Read(ctx, func() (err error) {
		tx, err = l.pool.BeginTx(ctx, snapshot)
		return err
	})
	if err != nil {
		return l.pool.Explain("ledger: reading from", err)
	}
	defer func() {
		ctx, cancel := bound(ctx)
		defer cancel()
		_ = tx.Rollback(ctx) // it has nothing to undo
	}()
	return fn(&reader{tx: tx})
}

// Update runs fn in a transaction, alone or with others that use only their own series. It
// first runs fn up to its first question, to learn the series. If ctx ends before a writer
// has taken fn, nothing is done. After that Update waits for the outcome whatever ctx does:
// the caller must know whether fn was committed.
func (l *Ledger) Update(ctx context.Context, fn func(backend.Tx) error) error {
	l.mu.RLock()
	closed := l.closed
	l.mu.RUnlock()
	if closed {
		return backend.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	p := &probe{}
	if err := call(fn, p); !p.asked {
		return err
	}
	j := &job{fn: fn, series: p.series, keyed: p.keyed, done: make(chan struct{})}
	if !p.keyed {
		j.way = alone
	}
	if !l.queue.add(j) {
		return backend.ErrClosed
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

// Close commits the waiting Updates and closes the connections. It may be called more than
// once.
func (l *Ledger) Close() error {
	l.mu.Lock()
	already := l.closed
	l.closed = true
	l.mu.Unlock()
	if already {
		return nil
	}
	l.queue.close()
	l.running.Wait()
	l.pool.Close()
	return nil
}

var _ backend.Ledger = (*Ledger)(nil)
