package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/audit/sqlite/internal/file"
	"github.com/fielato/fielato/wsfev1"
)

// purgerPragmas configure the one connection that purges. synchronous=NORMAL syncs nothing at a
// commit, so that the gateway waits as short as can be. A power cut may undo the last steps of a
// purge, which is to run again then, and nothing else. secure_delete overwrites removed content.
const purgerPragmas = "_pragma=busy_timeout(5000)&_pragma=synchronous(NORMAL)&_pragma=wal_autocheckpoint(0)" +
	"&_pragma=journal_size_limit(33554432)&_pragma=cache_size(-4096)&_pragma=secure_delete(ON)"

// Purger is an audit.Purger of a file, beside a gateway that writes it or without one.
// It is safe for concurrent use.
type Purger struct {
	store *Store // for reading alone
	pool  *sql.DB

	mu   sync.Mutex // guards conn, and is held during a transaction
	conn *sql.Conn
}

var _ audit.Purger = (*Purger)(nil)

// OpenPurger opens the evidence file at path to take content away. The content key
// (WithContentKey) is needed only for segments in which some content is held and some
// is not.
func OpenPurger(path string, options ...Option) (*Purger, error) {
	store, err := OpenReader(path, options...)
	if err != nil {
		return nil, err
	}
	p := &Purger{store: store}
	if p.pool, err = file.OpenPool(store.path, purgerPragmas, 1); err == nil {
		p.conn, err = connect(context.Background(), p.pool, store.path)
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// Close implements audit.Purger.
func (p *Purger) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	if p.conn != nil {
		errs = append(errs, p.conn.Close())
	}
	if p.pool != nil {
		errs = append(errs, p.pool.Close())
	}
	return errors.Join(append(errs, p.store.Close())...)
}

// Hold implements audit.Purger.
func (p *Purger) Hold(ctx context.Context, hold audit.Hold) error {
	return p.update(ctx, func() error {
		_, err := p.conn.ExecContext(ctx, "INSERT INTO holds VALUES (?, ?) ON CONFLICT DO NOTHING", int64(hold.Cuit), hold.Since.Unix())
		return err
	})
}

// Release implements audit.Purger.
func (p *Purger) Release(ctx context.Context, cuit wsfev1.CUIT) error {
	return p.update(ctx, func() error {
		result, err := p.conn.ExecContext(ctx, "DELETE FROM holds WHERE cuit = ?", int64(cuit))
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return errors.Join(fmt.Errorf("CUIT %s: %w", cuit, audit.ErrNotHeld), err)
		}
		return nil
	})
}

// Holds implements audit.Purger.
func (p *Purger) Holds(ctx context.Context) ([]audit.Hold, error) {
	return p.holds(ctx, p.store.readers)
}

func (p *Purger) holds(ctx context.Context, from querier) (all []audit.Hold, err error) {
	rows, err := from.QueryContext(ctx, "SELECT cuit, since FROM holds ORDER BY cuit")
	if err != nil {
		return nil, file.Explain(p.store.path, "reading", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var hold audit.Hold
		var since int64
		if err := rows.Scan(&hold.Cuit, &since); err != nil {
			return nil, file.Explain(p.store.path, "reading", err)
		}
		hold.Since = time.Unix(since, 0).UTC()
		all = append(all, hold)
	}
	return all, rows.Err()
}

// update does something in one transaction. It waits as long as others write: a gateway
// under full load leaves short gaps only.
func (p *Purger) update(ctx context.Context, do func() error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := errBusy
	for isBusy(err) && ctx.Err() == nil {
		_, err = p.conn.ExecContext(ctx, "BEGIN IMMEDIATE")
	}
	if err != nil {
		return file.Explain(p.store.path, "writing", errors.Join(err, ctx.Err()))
	}
	// What was begun is ended whatever becomes of ctx.
	ctx = context.WithoutCancel(ctx)
	if err = do(); err == nil {
		_, err = p.conn.ExecContext(ctx, "COMMIT")
	}
	if err != nil {
		_, _ = p.conn.ExecContext(ctx, "ROLLBACK") // a full disk has ended it already
		return file.Explain(p.store.path, "writing", err)
	}
	return nil
}

// exclude keeps other purges away, in other processes too, until the lock is released.
func (p *Purger) exclude(ctx context.Context) (*file.Lock, error) {
	held, err := file.Acquire(ctx, p.store.path+".purge")
	if errors.Is(err, ErrLocked) {
		return nil, fmt.Errorf("purging %s: %w: wait until it has ended", p.store.path, audit.ErrPurging)
	}
	return held, err
}

// errBusy is the error before the first attempt.
var errBusy = errors.New("not tried yet")

func isBusy(err error) bool {
	var inner *sqlite.Error
	return errors.Is(err, errBusy) || errors.As(err, &inner) && inner.Code()&0xff == sqlite3.SQLITE_BUSY
}

// logNumber returns the number of the log, 0 if there is no such log.
func (p *Purger) logNumber(ctx context.Context, log string) (int64, error) {
	id, _, err := logID(ctx, p.store.readers, log)
	if err != nil {
		return 0, file.Explain(p.store.path, "reading", err)
	}
	return id, nil
}
