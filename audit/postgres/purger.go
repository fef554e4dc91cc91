package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/panics"
	"github.com/fielato/fielato/internal/segment"
	"github.com/fielato/fielato/wsfev1"
)

// Purger is an audit.Purger of a database, beside gateways that write it or without. It is
// safe for concurrent use.
type Purger struct{ store *Store }

var _ audit.Purger = (*Purger)(nil)

// OpenPurger opens the database of a DSN to take content away. Its role needs other rights
// than a gateway's (PurgerGrants). The content key is needed only for segments in which some
// content is held and some is not.
func OpenPurger(ctx context.Context, dsn string, options Options) (*Purger, error) {
	s, err := openMade(ctx, dsn, options, false)
	if err != nil {
		return nil, err
	}
	return &Purger{s}, nil
}

// Close implements audit.Purger.
func (p *Purger) Close() error { return p.store.Close() }

// Hold implements audit.Purger.
func (p *Purger) Hold(ctx context.Context, hold audit.Hold) error {
	return p.update(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "INSERT INTO audit_holds (cuit, since) VALUES ($1, $2) ON CONFLICT (cuit) DO NOTHING", int64(hold.Cuit), hold.Since.Unix())
		return err
	})
}

// Release implements audit.Purger.
func (p *Purger) Release(ctx context.Context, cuit wsfev1.CUIT) error {
	return p.update(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, "DELETE FROM audit_holds WHERE cuit = $1", int64(cuit))
		if err == nil && tag.RowsAffected() == 0 {
			err = fmt.Errorf("CUIT %s: %w", cuit, audit.ErrNotHeld)
		}
		return err
	})
}

const selectHolds = "SELECT cuit, since FROM audit_holds ORDER BY cuit"

func scanHold(found pgx.CollectableRow) (audit.Hold, error) {
	var cuit, since int64
	err := found.Scan(&cuit, &since)
	return audit.Hold{Cuit: wsfev1.CUIT(cuit), Since: time.Unix(since, 0).UTC()}, err
}

// Holds implements audit.Purger.
func (p *Purger) Holds(ctx context.Context) ([]audit.Hold, error) {
	return collect(ctx, p.store.pool, scanHold, selectHolds)
}

// update does something in one transaction. It locks one row that all of them lock, so that
// a hold comes before what a purge does, or after it.
func (p *Purger) update(ctx context.Context, do func(pgx.Tx) error) error {
	err := p.store.pool.Transact(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, addLease, purgeLease); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, lockLease, purgeLease); err != nil {
			return err
		}
		return do(tx)
	})
	return p.store.pool.Explain("writing", err)
}

// Purge implements audit.Purger.
//
// PostgreSQL keeps what was removed until VACUUM: see the package's documentation.
func (p *Purger) Purge(ctx context.Context, request audit.PurgeRequest) (result audit.PurgeResult, err error) {
	ctx, release, err := p.exclude(ctx)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, release()) }()
	view, err := p.store.view(ctx, request.Log)
	if err != nil || !view.exists() {
		return result, err
	}
	return segment.Purge(ctx, &purge{p, p.store.rows(request.Log)}, p.store.vault, request)
}

// errPurgeLost: another purge may run.
var errPurgeLost = errors.New("the database was out of reach for so long that another purge may have begun: run this one again")

// exclude keeps other purges away, in other processes too, until release is called.
// The context that it returns ends where that is not certain any more.
func (p *Purger) exclude(ctx context.Context) (purging context.Context, release func() error, err error) {
	host, _ := os.Hostname()
	s := p.store
	l := newLease(s.pool, purgeLease, "purge", fmt.Sprintf("process %d on host %s", os.Getpid(), host), s.claimFor, s.now)
	if err := l.take(ctx); err != nil {
		taken := new(audit.TakenError)
		if errors.As(err, &taken) {
			err = fmt.Errorf("purging %s: %w: %s has begun it at %s: wait until it has ended",
				s.pool.Address(), audit.ErrPurging, taken.Holder, taken.Since.UTC().Format(time.RFC3339))
		}
		return nil, nil, err
	}
	purging, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		lost := func() { cancel(errPurgeLost) }
		if panics.Do(taskLease, func() error { l.keep(purging, lost); return nil }) != nil {
			lost() // it is not renewed any more
		}
	}()
	return purging, func() error {
		var lost error
		if errors.Is(context.Cause(purging), errPurgeLost) {
			lost = errPurgeLost
		}
		cancel(nil)
		<-done
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
		defer cancel()
		return errors.Join(lost, l.release(ctx))
	}, nil
}
