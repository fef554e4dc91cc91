package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/backend"
	"github.com/fielato/fielato/internal/panics"
	"github.com/fielato/fielato/internal/postgres"
)

// A ledger has two kinds of writers. Those of the first kind run jobs together, and never
// wait for another ledger: more of them make smaller groups, which cost more. Those of the
// second kind run what may have to wait.
const (
	sharingWriters = 2
	patientWriters = 6
)

// patience is for how long a transaction is tried that meets others in its way.
const patience = time.Minute

// taskWrite is what a panic is told to have happened in.
const taskWrite = "writing the ledger"

// writer runs jobs of one kind until there will be no more.
func (l *Ledger) writer(patient bool) {
	for jobs := l.queue.next(patient); jobs != nil; jobs = l.queue.next(patient) {
		var again []*job
		err := panics.Do(taskWrite, func() error {
			again = l.run(jobs)
			return nil
		})
		if err != nil {
			for _, j := range jobs {
				j.err = fmt.Errorf("ledger: %w: %w", backend.ErrUncertain, err)
			}
		}
		l.queue.release(jobs, again)
		for _, j := range jobs {
			if !slices.Contains(again, j) {
				close(j.done)
			}
		}
	}
}

// run leaves the outcome of each job in its err, and returns those that are to be run in
// another way.
func (l *Ledger) run(jobs []*job) (again []*job) {
	first := jobs[0]
	if first.way == alone {
		first.err = l.runAlone(first.fn)
		return nil
	}
	g := &group{ledger: l, jobs: jobs, wait: first.way == ownSeries}
	err := l.commit(locking, g.run)
	switch {
	case err == nil:
		return l.provide(g)
	case errors.Is(err, backend.ErrUncertain):
	case slices.ContainsFunc(jobs, func(j *job) bool { return j.series != first.series }):
		return inWay(jobs, ownSeries) // one of them may be the cause
	case len(jobs) > 1 && !concernsAll(err):
		return inWay(jobs, alone)
	}
	for _, j := range jobs {
		j.err = err
	}
	return nil
}

// provide reserves the serial numbers that jobs of a group had too few of, and returns
// those that are to be run again.
func (l *Ledger) provide(g *group) (again []*job) {
	if g.lack.n == 0 {
		return g.again
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := l.serials.reserve(ctx, &g.lack)
	if err == nil {
		return g.again
	}
	for _, j := range g.again {
		j.err = err
	}
	return nil
}

func inWay(jobs []*job, w way) []*job {
	for _, j := range jobs {
		j.way = w
	}
	return jobs
}

// concernsAll reports whether an error is about the server, or the wait for a lock: each
// job of the series would meet it again.
func concernsAll(err error) bool {
	const queryCancelled, lockNotAvailable = "57014", "55P03"
	return postgres.IsLost(err) || errors.Is(err, context.DeadlineExceeded) ||
		postgres.HasCode(err, queryCancelled) || postgres.HasCode(err, lockNotAvailable)
}

// attempt runs a transaction under a number of its own. It returns a witness if it wrote
// something that must not be written twice.
type attempt func(ctx context.Context, tx pgx.Tx, written int64) (*witness, error)

// commit runs attempts until the outcome of one is certain.
func (l *Ledger) commit(options pgx.TxOptions, run attempt) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		var w *witness
		err := l.pool.Transact(ctx, options, func(tx pgx.Tx) (err error) {
			w, err = run(ctx, tx, rand.Int64()) //nolint:gosec // it tells transactions apart, and is no secret
			return err
		})
		var missing *lack
		switch {
		case err == nil:
			return nil
		case errors.As(err, &missing):
			if err := l.serials.reserve(ctx, missing); err != nil {
				return err
			}
		case errors.Is(err, postgres.ErrUncertain) && w == nil:
			// Nothing was written that may not be written again.
		case errors.Is(err, postgres.ErrUncertain):
			if kept, err := l.settle(w, err); kept || err != nil {
				return err
			}
		case ctx.Err() != nil || !collided(err):
			return l.pool.Explain("ledger: writing to", err)
		}
	}
}

// collided reports whether another transaction was in the way.
func collided(err error) bool {
	const serializationFailure, deadlock = "40001", "40P01"
	return postgres.HasCode(err, serializationFailure) || postgres.HasCode(err, deadlock)
}
