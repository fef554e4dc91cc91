package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/internal/backend"
	"github.com/fielato/fielato/internal/panics"
	"github.com/fielato/fielato/internal/postgres"
)

// A ledger has two kinds of writers. Sharing ones run jobs together and never wait for
// another ledger; more of them would make smaller groups, which cost more. Patient ones run
// the jobs that may have to wait.
const (
	sharingWriters = 2
	patientWriters = 6
)

// patience is how long a transaction that collides with others is tried again.
const patience = time.Minute

// taskWrite names a writer's work in the report of a panic.
const taskWrite = "writing the ledger"

// writer runs jobs of one kind until the queue is closed and empty.
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

// run leaves the outcome of each job in its err and returns the jobs to be run again.
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

// provide reserves the serial numbers that the jobs of a group lacked, and returns the jobs
// to be run again.
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

// concernsAll reports whether an error is about the server or the wait for a lock, which
// every job of the series would meet again.
func concernsAll(err error) bool {
	const queryCancelled, lockNotAvailable = "57014", "55P03"
	return postgres.IsLost(err) || errors.Is(err, context.DeadlineExceeded) ||
		postgres.HasCode(err, queryCancelled) || postgres.HasCode(err, lockNotAvailable)
}

// attempt runs in a transaction with a number of its own. It returns a witness if it wrote
// anything that must not be written twice.
type attempt func(ctx context.Context, tx pgx.Tx, written int64) (*witness, error)

// commit repeats an attempt until its outcome is certain.
func (l *Ledger) commit(options pgx.TxOptions, run attempt) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		var w *witness
		err := l.pool.Transact(ctx, options, func(tx pgx.Tx) (err error) {
			w, err = run(ctx, tx, rand.Int64()) //nolint:gosec // it only tells transactions apart
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
			// Nothing was written that must not be written twice.
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
