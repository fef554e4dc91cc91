package postgres

import (
	"cmp"
	"context"
	"time"

	"github.com/fielato/fielato/internal/panics"
	"github.com/fielato/fielato/internal/postgres"
)

// Options configure a ledger.
type Options struct {
	// Migrate runs the missing migrations, for which the role must own the tables. Without
	// it Open returns postgres.ErrBehind if any is missing.
	Migrate bool
	// SettleWithin bounds how long the ledger keeps asking the server about a commit whose
	// answer was lost. After that Update returns backend.ErrUncertain. Default: 30 seconds.
	SettleWithin time.Duration
	// MaxConns bounds the connections unless the DSN does (pool_max_conns). Default: 16.
	MaxConns int32
}

const defaultSettleWithin = 30 * time.Second

// Open opens the ledger in the database that the DSN names. No error shows the DSN, which
// may contain a password. Several ledgers, in one process or many, may be opened on one
// database, even at the same time.
//
// The server must have synchronous_commit on. A failover to a replica that lags behind
// loses the commits that the replica lacks.
func Open(ctx context.Context, dsn string, options Options) (*Ledger, error) {
	pool, err := Migrations.Open(ctx, dsn, postgres.Options{Name: "fielato ledger", MaxConns: options.MaxConns}, options.Migrate)
	if err != nil {
		return nil, err
	}
	l := &Ledger{
		pool: pool, queue: newQueue(), serials: serials{pool: pool},
		settleWithin: cmp.Or(options.SettleWithin, defaultSettleWithin),
	}
	for range sharingWriters {
		panics.Go(&l.running, taskWrite, func() { l.writer(false) })
	}
	for range patientWriters {
		panics.Go(&l.running, taskWrite, func() { l.writer(true) })
	}
	return l, nil
}
