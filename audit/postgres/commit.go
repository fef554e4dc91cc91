package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/internal/postgres"
	"github.com/fielato/fielato/internal/segment"
)

// commitTimeout bounds a commit and a look at the head: a server that has vanished must not
// hold the trail's one writer for as long as TCP waits. It is longer than an abandoned
// transaction can hold a lock.
const commitTimeout = 25 * time.Second

// keyAttempts bounds how often a batch is sealed anew because a purge has destroyed its data
// key meanwhile: each time it takes another purge.
const keyAttempts = 10

// logState is the writer's memory of a log.
type logState struct {
	mu sync.Mutex // guards the rest, and is held during a commit
	// State is nil if nothing is remembered: a commit that fails forgets.
	*segment.State
	// newest is the newest checkpoint that this store has written or read. A commit that fails
	// does not forget it: whatever the log becomes, it holds this one.
	newest checkpoint
}

// checkpoint is a row of audit_checkpoints. Its number is 0 if the log has none.
type checkpoint struct {
	number int64
	note   []byte
}

// state returns the state of a log.
func (s *Store) state(log string) *logState {
	s.mu.Lock()
	defer s.mu.Unlock()
	state, ok := s.logs[log]
	if !ok {
		state = &logState{}
		s.logs[log] = state
	}
	return state
}

// forget makes the next commit read what there is of a log.
func (s *Store) forget(log string) {
	state := s.state(log)
	state.mu.Lock()
	defer state.mu.Unlock()
	state.State = nil
}

// Prepare implements audit.Preparer: it makes the record's keys.
func (s *Store) Prepare(form audit.Form, r *audit.Record) any { return s.vault.Prepare(form, r) }

// Commit implements audit.Store. The context counts until the transaction begins:
// interrupting one gains nothing and leaves its end in doubt.
func (s *Store) Commit(ctx context.Context, batch audit.Batch) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("writing %s: %w", s.pool.Address(), err)
	}
	state := s.state(batch.Log)
	state.mu.Lock()
	defer state.mu.Unlock()
	if err := s.mayWrite(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
	defer cancel()
	err := errKeyGone
	for attempt := 0; attempt < keyAttempts && errors.Is(err, errKeyGone); attempt++ {
		// Nothing of the batch is there; the state was forgotten, and a new key is made.
		err = s.commit(ctx, state, &batch)
	}
	return err
}

func (s *Store) commit(ctx context.Context, state *logState, batch *audit.Batch) error {
	held, taken, err := s.claimOf(ctx, batch.Log)
	if err != nil {
		return err
	}
	if taken {
		state.State = nil
	}
	keys := &keyring{pool: s.pool, log: batch.Log}
	plan, err := s.plan(ctx, state, keys, batch)
	if err != nil {
		state.State = nil // it may remember new keys
		return err
	}
	err = s.pool.TransactBatch(ctx, func(b *pgx.Batch) {
		queueRight(b, batch.Log, held, state.newest)
		keys.queue(b)
		queueKeys(b, plan.Keys())
		queueLeases(b, batch)
		queuePlan(b, batch, plan, state.newest.number+1)
	})
	if errors.Is(err, audit.ErrLeaseTaken) && len(keys.added) == 0 {
		return err // the state is as it was
	}
	if err != nil {
		state.State = nil
		return s.explainCommit(batch.Log, batch.First, err)
	}
	state.Done(plan)
	state.newest = checkpoint{state.newest.number + 1, batch.Checkpoint}
	if plan.Block != nil {
		s.merger.Wake(batch.Log)
	}
	return nil
}

// plan makes the rows of a batch. Where the batch does not fit the remembered state, another store
// may have written: plan then reads the database again, which decides.
func (s *Store) plan(ctx context.Context, state *logState, keys *keyring, batch *audit.Batch) (plan *segment.Plan, err error) {
	for fresh := false; ; fresh = true {
		if fresh || state.State == nil {
			fresh = true
			if err := s.load(ctx, state, batch.Log); err != nil {
				return nil, err
			}
		}
		plan, err = state.Plan(ctx, s.rows(batch.Log), keys, batch)
		if fresh || !errors.Is(err, audit.ErrConflict) {
			return plan, err
		}
	}
}

// load reads what there is of a log.
func (s *Store) load(ctx context.Context, state *logState, log string) error {
	state.State = nil
	err := s.pool.TransactBatch(ctx, func(b *pgx.Batch) {
		b.Queue(addLease, writeLease(log))
		queueNewest(b, log, state.newest)
	})
	if err != nil {
		return s.explainCommit(log, 0, err)
	}
	view, err := s.view(ctx, log)
	if err != nil {
		return err
	}
	loaded, err := segment.NewState(ctx, s.rows(log), s.vault, log, view.View)
	if err == nil {
		state.State, state.newest = loaded, checkpoint{view.checkpoints, view.Checkpoint}
	}
	return err
}

// TakesPurged implements audit.PurgedTaker.
func (s *Store) TakesPurged() bool { return true }

// explainCommit returns what an error of the transaction means for the trail.
func (s *Store) explainCommit(log string, first uint64, err error) error {
	switch {
	case errors.Is(err, postgres.ErrUncertain):
		return fmt.Errorf("%w: %w", audit.ErrUncertain, s.pool.Explain("writing", err))
	case errors.Is(err, errEndLost):
		return fmt.Errorf("%w: log %q of %s: %w", audit.ErrConflict, log, s.pool.Address(), err)
	case postgres.HasCode(err, "23505"):
		return fmt.Errorf("%w: log %q of %s was continued at %d by another writer: %w",
			audit.ErrConflict, log, s.pool.Address(), first, err)
	}
	return s.pool.Explain("writing", err)
}
