package postgres

import (
	"cmp"
	"context"
	"time"

	"github.com/fielato/fielato/internal/panics"
	"github.com/fielato/fielato/internal/postgres"
)

// Options say how a ledger is opened.
type Options struct {
	// Migrate runs the migrations that are missing, for which the role must own the
	// tables. Without it the schema is only looked at, and one that is behind is
	// postgres.ErrBehind.
	Migrate bool
	// SettleWithin bounds for how long the server is asked what became of a commit whose
	// answer was lost. After that Update returns backend.ErrUncertain. Default: 30 seconds.
	SettleWithin time.Duration
	// MaxConns bounds the connections if the DSN does not (pool_max_conns). Default: 16.
	MaxConns int32
}

const defaultSettleWithin = 30 * time.Second

// Open opens the ledger in the database of the DSN. Its error never shows the DSN, which
// may hold a password. Several ledgers, of one process or of many, may be open on one
// database, and be opened at the same time.
func Open(ctx context.Context, dsn string, options Options) (*Ledger, error) {
	pool, err := postgres.Open(ctx, dsn, postgres.Options{Name: "fielato ledger", MaxConns: options.MaxConns})
	if err != nil {
		return nil, err
	}
	if options.Migrate {
		_, err = Migrations.Run(ctx, pool)
	} else {
		err = Migrations.Check(ctx, pool)
	}
	if err != nil {
		pool.Close()
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
