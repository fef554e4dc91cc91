package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/backend"
)

// group is jobs that share a transaction. Each asks for nothing but its own series, whose
// row is locked before the first runs: what they see cannot change until the commit, and
// what they write is sent when the last has run. One that fails leaves nothing to undo.
type group struct {
	ledger *Ledger
	jobs   []*job
	// wait says that the locks are waited for, which holds up all jobs: what is then not
	// in states is not there.
	wait bool

	// What follows is that of one attempt; begin makes it anew.

	// states are the series as they are with what the jobs so far have appended; one
	// that is missing is not there, or somebody else is at it.
	states  map[backend.Series]backend.SeriesState
	changed map[backend.Series]bool
	rows    rows
	// skipped is up to where the serial numbers were given away.
	skipped int64
	// again are the jobs that need to be run again, in another way or when lack, the serial
	// numbers that they had too few of, are there.
	again []*job
	lack  lack
}

// run runs the jobs in a transaction. Its error is about the transaction; that of each
// job is in the job.
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

// begin locks the series, in an order that is everybody's. Unless it is to wait it leaves
// out those that another ledger holds.
func (g *group) begin(ctx context.Context, tx pgx.Tx) error {
	g.states, g.changed = map[backend.Series]backend.SeriesState{}, map[backend.Series]bool{}
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
	// After the locks: whoever had one before, and skipped some, has committed that.
	batch.Queue(selectSkipped).QueryRow(func(row pgx.Row) error { return row.Scan(&g.skipped) })
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("lock series: %w", err)
	}
	return nil
}

func compareSeries(a, b backend.Series) int {
	return cmp.Or(cmp.Compare(a.Cuit, b.Cuit), cmp.Compare(a.PtoVta, b.PtoVta), cmp.Compare(a.CbteTipo, b.CbteTipo))
}

// give runs one job, or puts it among those to be run again.
func (g *group) give(j *job) {
	state, ok := g.states[j.series]
	if !ok {
		// It may be held by somebody else, or not be there: that is for one
		// transaction to find out, and the first invoice for one of its own.
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
		// The others need not wait for its numbers.
		g.lack = lack{g.lack.n + t.lacked, max(g.lack.above, g.skipped)}
		g.again = append(g.again, j)
		g.rows.cut(before)
	case j.err != nil:
		g.rows.cut(before)
	case g.rows.len() > before:
		g.states[j.series], g.changed[j.series] = t.state, true
	}
}

// write sends what the jobs have appended.
func (g *group) write(ctx context.Context, tx pgx.Tx, written int64) error {
	batch := &pgx.Batch{}
	g.rows.queue(batch, written)
	for series := range g.changed {
		state := g.states[series]
		batch.Queue(updateSeries, int64(series.Cuit), series.PtoVta, series.CbteTipo, state.Last, string(state.LastFch))
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("write invoices: %w", err)
	}
	return nil
}

// turn is a group's transaction as one of its jobs sees it.
type turn struct {
	outside
	group  *group
	series backend.Series
	state  backend.SeriesState
	// taken and lacked are how many serial numbers it was given, and not given.
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
	state, err := follow(t.state, invoices)
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
	for i := range invoices {
		t.group.rows.add(series, &invoices[i])
	}
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

// follow returns how far a series has come with more invoices.
func follow(state backend.SeriesState, invoices []backend.Invoice) (backend.SeriesState, error) {
	for i := range invoices {
		if !state.Follows(&invoices[i]) {
			return state, fmt.Errorf("%w: %d to %d of %s after %d of %s", backend.ErrSequence, invoices[i].CbteDesde,
				invoices[i].CbteHasta, invoices[i].CbteFch, state.Last, state.LastFch)
		}
		state = backend.SeriesState{Last: invoices[i].CbteHasta, LastFch: invoices[i].CbteFch}
	}
	return state, nil
}
