package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ErrUncertain: the connection was lost during a commit. The rows of the transaction may be there
// or not; only a look shows it.
var ErrUncertain = errors.New("it is not known whether the transaction was committed")

// attempts bounds how often a transaction is run, and the pauses between.
const (
	attempts     = 10
	firstPause   = 2 * time.Millisecond
	longestPause = 250 * time.Millisecond
)

// Transact runs fn in a transaction and commits it. It runs fn again if the server asks for
// that (SQLSTATE 40001, 40P01), and if the connection was lost before the commit was sent, in
// which case nothing was written. So fn may run more than once.
//
// It returns fn's own errors as they are, after everything was undone; ErrUncertain if it
// is not known whether the commit happened.
func (p *Pool) Transact(ctx context.Context, options pgx.TxOptions, fn func(pgx.Tx) error) error {
	return p.again(ctx, func() error {
		tx, err := p.BeginTx(ctx, options)
		if err != nil {
			return err
		}
		if err := run(ctx, tx, fn); err != nil {
			return err
		}
		return commit(ctx, tx.Conn(), tx.Commit)
	})
}

// run undoes the transaction if fn fails, also by a panic.
func run(ctx context.Context, tx pgx.Tx, fn func(pgx.Tx) error) (err error) {
	done := false
	defer func() {
		if !done || err != nil {
			// The connection may be gone, and the transaction with it.
			_ = tx.Rollback(context.WithoutCancel(ctx))
		}
	}()
	err = fn(tx)
	done = true
	return err
}

// commit ends a transaction. An error without an answer from the server is uncertain, unless
// nothing could be sent. That is checked before, as pgx is not reliable afterwards: up to
// v5.11 at least, a connection that ends while the answer to a commit is awaited gives "conn
// closed", which pgconn.SafeToRetry takes for not sent.
func commit(ctx context.Context, conn *pgx.Conn, do func(context.Context) error) error {
	if conn.IsClosed() {
		return pgconn.ErrConnClosed
	}
	// A context that ends here would leave in doubt what a moment later is certain.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
	defer cancel()
	err := do(ctx)
	var said *pgconn.PgError
	if err == nil || errors.Is(err, pgx.ErrTxCommitRollback) || errors.As(err, &said) && !endsConnection(said.Code) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUncertain, err)
}

// commitTimeout bounds how long a commit may take: a disk that is busy, a replica that is
// waited for.
const commitTimeout = 30 * time.Second

// endsConnection reports whether the server sent this code instead of an answer. What was
// under way may have been completed before.
func endsConnection(code string) bool {
	return code == "57P01" || code == "57P02" || code == "57P03" || code == "40003" || code[:2] == "08"
}

// again runs fn until it succeeds or fails in a way that running it again does not mend.
func (p *Pool) again(ctx context.Context, fn func() error) error {
	for attempt, pause := 1, firstPause; ; attempt, pause = attempt+1, min(2*pause, longestPause) {
		err := fn()
		if HasCode(err, readOnly) {
			// Sessions that began on a server which then took no changes go on refusing them, after it takes some
			// again and after another server has taken its place: the next attempt makes new ones.
			p.Reset()
		}
		if err == nil || attempt == attempts || !retryable(err) || ctx.Err() != nil {
			return err
		}
		rest := time.NewTimer(pause/2 + rand.N(pause)) //nolint:gosec // no secret
		select {
		case <-rest.C:
		case <-ctx.Done():
			rest.Stop()
			return err
		}
	}
}

// Read runs fn, which only reads, until it succeeds or fails in a way that reading again
// does not mend. So fn may run more than once.
func (p *Pool) Read(ctx context.Context, fn func() error) error { return p.again(ctx, fn) }

// Repeat is Read for a statement that is a transaction by itself and does the same if it is done twice.
func (p *Pool) Repeat(ctx context.Context, fn func() error) error { return p.again(ctx, fn) }

// retryable reports whether a failed transaction did nothing and may succeed if it is run
// again: it collided with another one, or the connection was lost before its commit. For a
// statement that is a transaction by itself this is unknown: use Transact for all that
// writes, but for what may be done twice (Repeat).
func retryable(err error) bool {
	if errors.Is(err, ErrUncertain) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	if said, ok := errors.AsType[*pgconn.PgError](err); ok {
		return said.Code == "40001" || said.Code == "40P01" || endsConnection(said.Code)
	}
	return IsLost(err)
}

// IsLost reports whether an error is about the connection, not about what was asked.
func IsLost(err error) bool {
	if said, ok := errors.AsType[*pgconn.PgError](err); ok {
		return endsConnection(said.Code)
	}
	var refused *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &refused) || pgconn.SafeToRetry(err) || errors.Is(err, pgconn.ErrConnClosed) || errors.As(err, &network) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}
