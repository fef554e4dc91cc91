package postgres

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/postgres"
)

// lease is a row of audit_leases as one process has it: the right to something until a
// moment of the server's clock. The process goes by its own clock, from before the server
// was asked on: so it takes the lease for ended before the server does, however the two
// clocks differ.
type lease struct {
	pool *postgres.Pool
	// what names the row, log the subject for people.
	what, log, holder string
	// owner is random: it distinguishes this lease from all others.
	owner  []byte
	length time.Duration
	now    func() time.Time

	taking sync.Mutex // held while the server is asked; guards over
	// over: it was released, which is final. Nobody would release it again.
	over bool

	mu    sync.Mutex // guards the rest
	fence int64
	until time.Time // by now
}

func writeLease(log string) string { return "write " + log }

const purgeLease = "purge"

func newLease(pool *postgres.Pool, what, log, holder string, length time.Duration, now func() time.Time) *lease {
	owner := make([]byte, 16)
	_, _ = rand.Read(owner) // never fails
	return &lease{pool: pool, what: what, log: log, holder: holder, owner: owner, length: length, now: now}
}

// leaseRow is what stands in the row, and the server's clock.
type leaseRow struct {
	holder                     string
	owner                      []byte
	fence, since, expires, now int64
}

// lockLease waits for all that has locked the row before.
const lockLease = "SELECT " + leaseColumns + " FROM audit_leases WHERE name = $1 FOR UPDATE"

// leaseColumns are the columns that scanLease reads.
const leaseColumns = "holder, owner, fence, since, expires, (extract(epoch FROM now()) * 1000000)::INT8"

// scanLease reads a row, with more columns behind leaseColumns.
func scanLease(found pgx.Row, more ...any) (row leaseRow, err error) {
	err = found.Scan(append([]any{&row.holder, &row.owner, &row.fence, &row.since, &row.expires, &row.now}, more...)...)
	return row, err
}

// held reports whether the lease is held.
func (row *leaseRow) held() bool { return row.expires > row.now }

// taken returns the error that names its holder.
func (row *leaseRow) taken(log string) error {
	return &audit.TakenError{
		Log: log, Holder: row.holder, Since: time.UnixMicro(row.since), Until: time.UnixMicro(row.expires),
		Left: time.Duration(row.expires-row.now) * time.Microsecond,
	}
}

// addLease makes a row without a holder. It stays for ever: a commit must have something to
// lock.
const addLease = "INSERT INTO audit_leases (name, holder, owner, fence, since, expires) VALUES ($1, '', ''::BYTEA, 0, 0, 0) ON CONFLICT (name) DO NOTHING"

// errOver: the lease was released.
var errOver = errors.New("it was released by this process")

// take takes the lease, or renews it. A TakenError means that another holder has it. It is safe
// to call it again, whatever its result was.
func (l *lease) take(ctx context.Context) error {
	l.taking.Lock()
	defer l.taking.Unlock()
	if l.over {
		return fmt.Errorf("claiming %q again: %w", l.log, errOver)
	}
	sent := l.now()
	var row leaseRow
	var taken error
	err := l.pool.Transact(ctx, pgx.TxOptions{}, func(tx pgx.Tx) (err error) {
		taken = nil
		if _, err := tx.Exec(ctx, addLease, l.what); err != nil {
			return err
		}
		if row, err = scanLease(tx.QueryRow(ctx, lockLease, l.what)); err != nil {
			return err
		}
		if !bytes.Equal(row.owner, l.owner) {
			if row.held() {
				taken, err = l.await(ctx, tx, &row)
				return err
			}
			row.fence, row.since = row.fence+1, row.now
		}
		_, err = tx.Exec(ctx, "UPDATE audit_leases SET holder = $2, owner = $3, fence = $4, since = $5, expires = $6 WHERE name = $1",
			l.what, l.holder, l.owner, row.fence, row.since, row.now+l.length.Microseconds())
		return err
	})
	if err == nil {
		err = taken
	}
	if err != nil {
		return l.pool.Explain(fmt.Sprintf("claiming %q in", l.log), err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fence, l.until = row.fence, sent.Add(l.length)
	return nil
}

// longestRemainder is how much of a lease is left at most, in lengths of the waiter's own: the
// holder may be of another build, whose leases are longer.
const longestRemainder = 2

// await returns the error that names the holder of a locked row. A lease with more left than that
// was written before the server's clock was set back: if its holder has died, nobody could take it
// until the clock has caught up. It is shortened. A living holder goes by a clock of its own, by which
// its lease ends earlier, and renews it.
func (l *lease) await(ctx context.Context, tx pgx.Tx, row *leaseRow) (taken, err error) {
	if most := row.now + longestRemainder*l.length.Microseconds(); row.expires > most {
		row.expires = most
		_, err = tx.Exec(ctx, "UPDATE audit_leases SET expires = $2 WHERE name = $1", l.what, row.expires)
	}
	return row.taken(l.log), err
}

// left returns how long the lease is held for certain, nothing or less if it may have ended.
func (l *lease) left() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.until.Sub(l.now())
}

// check compares the row, which is locked, with what this process believes. It keeps one
// that was paused from writing after another has taken over.
func (l *lease) check(row *leaseRow) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if bytes.Equal(row.owner, l.owner) && row.fence == l.fence {
		return nil
	}
	l.until = time.Time{}
	if !row.held() {
		return fmt.Errorf("%w: %s has had it in between", audit.ErrClaimLost, row.holder)
	}
	return fmt.Errorf("%w: %w", audit.ErrClaimLost, row.taken(l.log))
}

// release gives the lease up for good, if this process has it.
func (l *lease) release(ctx context.Context) error {
	l.taking.Lock()
	defer l.taking.Unlock()
	l.over = true
	l.mu.Lock()
	l.until = time.Time{}
	l.mu.Unlock()
	err := l.pool.TransactBatch(ctx, func(b *pgx.Batch) {
		b.Queue("UPDATE audit_leases SET expires = 0 WHERE name = $1 AND owner = $2", l.what, l.owner)
	})
	return l.pool.Explain(fmt.Sprintf("releasing %q in", l.log), err)
}

// keep renews the lease until the context ends. It calls lost each time that the lease may have
// ended, and continues: a lease without another holder is taken again.
func (l *lease) keep(ctx context.Context, lost func()) {
	pause := time.NewTimer(l.length / 3)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
		// No attempt may last longer than the lease, or its end would pass unnoticed.
		patience := l.length / 3
		if left := l.left(); left > 0 {
			patience = min(patience, left)
		}
		attempt, cancel := context.WithTimeout(ctx, patience)
		err := l.take(attempt)
		cancel()
		next := l.length / 3
		if err != nil {
			next = l.length / 15
		}
		left := l.left()
		if left <= 0 && ctx.Err() == nil {
			lost()
		} else {
			next = min(next, max(left, 0))
		}
		pause.Reset(next)
	}
}
