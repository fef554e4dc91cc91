package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/fielato/fielato/internal/backend"
)

// group is the jobs that share a transaction. Each uses only its own series and serial
// numbers, and appends invoices that refer to nothing. The rows of the series are locked
// before the first job runs, so the jobs read a state that cannot change until the commit. Their
// invoices are sent after the last one has run, so a job that fails leaves nothing to undo.
type group struct {
	ledger *Ledger
	jobs   []*job
	// wait makes the group wait for locks, which delays all of its jobs. A series missing
	// from states then has no row.
	wait bool

	// The fields below belong to one attempt. begin resets them.

	// states are the series, including the invoices that the jobs have appended so far. A missing one
	// has no row, or another ledger holds it.
	states map[backend.Series]backend.SeriesState
	// changed are the last numbers of those to which something was appended, as they were before.
	changed map[backend.Series]int64
	rows    columns
	// skipped is the highest serial number that was given elsewhere.
	skipped int64
	// again are the jobs to be run again, in another way or once the serial numbers in lack
	// have been reserved.
	again []*job
	lack  lack
}

// run runs the jobs in a transaction. The error it returns concerns the transaction; each
// job has an error of its own.
func (g *group) run(ctx context.Context, tx pgx.Tx, written int64) (*witness, error) {
	if err := g.begin(ctx, tx); err != nil {
		return nil, err
	}
	for _, j := range g.jobs {
		g.give(j)
	}
	if g.rows.len() == 0 {
		return nil, nil
	}
	return g.rows.witness(written), g.write(ctx, tx, written)
}

// begin locks the series, in the order that all writers use. Without wait it leaves out the
// series that another ledger holds.
func (g *group) begin(ctx context.Context, tx pgx.Tx) error {
	g.states, g.changed = map[backend.Series]backend.SeriesState{}, map[backend.Series]int64{}
	g.rows.cut(0)
	g.again, g.lack = nil, lack{}
	wanted := map[backend.Series]bool{}
	for _, j := range g.jobs {
		wanted[j.series] = true
	}
	lock := tryLockSeries
	if g.wait {
		lock = lockSeries
	}
	batch := &pgx.Batch{}
	for _, series := range slices.SortedFunc(maps.Keys(wanted), compareSeries) {
		batch.Queue(lock, int64(series.Cuit), series.PtoVta, series.CbteTipo).QueryRow(func(row pgx.Row) error {
			var state backend.SeriesState
			err := row.Scan(&state.Last, &state.LastFch)
			if errors.Is(err, pgx.ErrNoRows) {
				return nil
			}
			g.states[series] = state
			return err
		})
	}
	// This comes after the locks: a previous holder that skipped numbers has committed.
	batch.Queue(selectSkipped).QueryRow(func(row pgx.Row) error { return row.Scan(&g.skipped) })
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("lock series: %w", err)
	}
	return nil
}

func compareSeries(a, b backend.Series) int {
	return cmp.Or(cmp.Compare(a.Cuit, b.Cuit), cmp.Compare(a.PtoVta, b.PtoVta), cmp.Compare(a.CbteTipo, b.CbteTipo))
}

// give runs one job, or adds it to those to be run again.
func (g *group) give(j *job) {
	state, ok := g.states[j.series]
	if !ok {
		// Another ledger may hold the series, or it has no row. A group that waits finds
		// out; the first invoice of a series then runs alone.
		j.way = ownSeries
		if g.wait {
			j.way = alone
		}
		g.again = append(g.again, j)
		return
	}
	t := &turn{group: g, series: j.series, state: state}
	before := g.rows.len()
	j.err = call(j.fn, t)
	switch {
	case t.asked:
		j.way = alone
		g.again = append(g.again, j)
		g.rows.cut(before)
	case t.lacked > 0:
		// The other jobs need not wait for its numbers.
		g.lack = lack{g.lack.n + t.lacked, max(g.lack.above, g.skipped)}
		g.again = append(g.again, j)
		g.rows.cut(before)
	case j.err != nil:
		g.rows.cut(before)
	case g.rows.len() > before:
		if _, already := g.changed[j.series]; !already {
			g.changed[j.series] = state.Last
		}
		g.states[j.series] = t.state
	}
}

// write sends the invoices that the jobs appended.
func (g *group) write(ctx context.Context, tx pgx.Tx, written int64) error {
	batch := &pgx.Batch{}
	for series, last := range g.changed {
		queueMove(batch, series, last, g.states[series])
	}
	g.rows.queue(batch, written)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("write invoices: %w", err)
	}
	return nil
}

// queueMove moves the end of a series, if it still is where the numbers follow.
func queueMove(batch *pgx.Batch, series backend.Series, last int64, to backend.SeriesState) {
	batch.Queue(updateSeries, of(series, to.Last, string(to.LastFch), last)...).Exec(func(done pgconn.CommandTag) error {
		if done.RowsAffected() != 1 {
			return fmt.Errorf("%w: series %v does not end at %d", backend.ErrSequence, series, last)
		}
		return nil
	})
}

// turn is a group's transaction as one of its jobs sees it.
type turn struct {
	outside
	group  *group
	series backend.Series
	state  backend.SeriesState
	// taken is how many serial numbers the job was given, lacked how many it needs if
	// there were too few.
	taken, lacked int
}

func (t *turn) Series(_ context.Context, series backend.Series) (backend.SeriesState, error) {
	if series != t.series {
		return backend.SeriesState{}, t.refuse()
	}
	return t.state, nil
}

func (t *turn) Append(_ context.Context, series backend.Series, invoices []backend.Invoice) error {
	if series != t.series {
		return t.refuse()
	}
	state, err := t.state.Extend(invoices)
	if err != nil {
		return err
	}
	for i := range invoices {
		d, err := deriveFrom(series, &invoices[i])
		if err != nil {
			return err
		}
		if !d.nothing() {
			return t.refuse()
		}
	}
	t.group.rows.add(series, invoices)
	t.state = state
	return nil
}

func (t *turn) Serials(_ context.Context, n int) ([]int64, error) {
	given, err := t.group.ledger.serials.take(n, t.group.skipped)
	if err != nil {
		t.lacked = t.taken + n
	}
	t.taken += len(given)
	return given, err
}
