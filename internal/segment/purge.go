package segment

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/fielato/fielato/audit"
)

const (
	// purgeBytes is how much content one transaction takes away: what a gateway may have
	// to wait for.
	purgeBytes = 256 << 10
	// purgeRows is how many segments are looked at between two transactions.
	purgeRows = 64
)

// Purgeable is what a purge needs of a store for one log beside the rows.
type Purgeable interface {
	Rows
	// Outlines returns the next segments that have content left, with ColumnOutline, in order:
	// those with from <= First < to, at most limit of them.
	Outlines(ctx context.Context, from, to uint64, limit int) ([]Row, error)
	// Holds returns the issuers that are held, by ascending CUIT.
	Holds(ctx context.Context) ([]audit.Hold, error)
	// Update runs do in one transaction. The adding or releasing of a hold, and a commit that
	// seals content, come before it or after it.
	Update(ctx context.Context, do func(PurgeTx) error) error
	// Wrote is called after an Update with about the number of its bytes.
	Wrote(bytes int64)
}

// PurgeTx is what a purge does in a transaction.
type PurgeTx interface {
	Holds(ctx context.Context) ([]audit.Hold, error)
	// Change writes purged, key and content of a segment.
	Change(ctx context.Context, row *Row) error
	// KeysFrom returns the numbers of the data keys that segments with First >= from name.
	KeysFrom(ctx context.Context, from uint64) ([]int64, error)
	// KeysBefore returns the numbers of the data keys of earlier periods.
	KeysBefore(ctx context.Context, period audit.Period) ([]int64, error)
	DestroyKey(ctx context.Context, number int64) error
}

// purge is one run of Purge. It goes through the log from the start each time and passes
// over what was done before, so that a run that was cut off is finished by the next.
type purge struct {
	store   Purgeable
	vault   *Vault
	request audit.PurgeRequest
	cutoff  int64 // Before begins, in microseconds since 1970
	load    *Loader
	held    audit.Holds
	// live are the numbers of the data keys that are still needed, as far as the log was
	// looked at.
	live   map[int64]bool
	result audit.PurgeResult
}

// Purge is what an audit.Purger does, except for keeping other purges away.
func Purge(ctx context.Context, store Purgeable, vault *Vault, request audit.PurgeRequest) (audit.PurgeResult, error) {
	if request.Progress == nil {
		request.Progress = func(audit.PurgeResult) {}
	}
	run := &purge{
		store: store, vault: vault, request: request, cutoff: request.Before.Start().UnixMicro(),
		load: NewLoader(store, vault, request.Log), live: map[int64]bool{},
	}
	err := run.all(ctx)
	return run.result, err
}

func (r *purge) all(ctx context.Context) error {
	spans, err := r.spans(ctx)
	if err != nil {
		return err
	}
	next := uint64(0)
	for _, span := range spans {
		if only := r.request.Records; only != nil {
			if span.next = min(span.next, only.Next); span.next <= span.first {
				break // what comes now was not looked at: its keys are in use
			}
		}
		if next, err = r.erase(ctx, span); err != nil {
			return err
		}
	}
	return r.destroyKeys(ctx, next)
}

// spans returns where there may be records of earlier periods. The last one has no end:
// there is always more to come.
func (r *purge) spans(ctx context.Context) (spans []span, err error) {
	add := func(first, next uint64) {
		if n := len(spans); n > 0 && spans[n-1].next == first {
			spans[n-1].next = next
			return
		}
		spans = append(spans, span{first, next})
	}
	indexed := uint64(0)
	blocks, err := r.store.Parts(ctx, 0, 0, 0)
	for i := range blocks {
		b := &blocks[i]
		if indexed = b.Next; b.Oldest < r.cutoff {
			add(b.First, b.Next)
		}
	}
	add(indexed, MaxIndex)
	return spans, err
}

// erase removes the due contents from the segments of a span, some at a time. It returns the index
// of the first record that it has not looked at.
func (r *purge) erase(ctx context.Context, in span) (next uint64, err error) {
	for next = in.first; ; {
		rows, err := r.store.Outlines(ctx, next, in.next, purgeRows)
		if err != nil || len(rows) == 0 {
			return next, err
		}
		done, err := r.step(ctx, rows)
		if errors.Is(err, errHeld) {
			continue // with the holds as they are now
		}
		if err != nil {
			return next, err
		}
		next = rows[done-1].First + 1
		r.request.Progress(r.result)
	}
}

// step plans and makes one transaction. It returns how many of the rows it has dealt
// with: one at least.
func (r *purge) step(ctx context.Context, rows []Row) (done int, err error) {
	list, err := r.store.Holds(ctx)
	if err != nil {
		return 0, err
	}
	r.held = r.holdsOf(list)
	var changes []change
	size := int64(0)
	for i := range rows {
		row := &rows[i]
		c, err := r.plan(ctx, row)
		if err != nil {
			return 0, damaged(r.store, row.First, err)
		}
		changes, done = append(changes, c), done+1
		if size += c.writes; size >= purgeBytes {
			break
		}
	}
	if size > 0 && !r.request.DryRun {
		if err := r.apply(ctx, changes, size); err != nil {
			return 0, err
		}
	}
	for _, c := range changes {
		r.count(c)
	}
	return done, nil
}

// count adds a change to the counts.
func (r *purge) count(c change) {
	r.result.Bytes += c.freed
	if c.took.Next > 0 {
		r.result.Records.Add(c.took.First)
		r.result.Records.Add(c.took.Next - 1)
	}
	for period, count := range c.counts {
		r.result.Count(period, count.Purged, count.Held)
	}
	if c.key != nil && c.purged != PurgedAll {
		r.live[*c.key] = true
	}
}

// errHeld: the holds have changed since the plan was made.
var errHeld = errors.New("a hold was added or released meanwhile")

// apply makes the changes, then pauses for twice as long as it has kept the gateway from
// writing, so that waiting records come first.
func (r *purge) apply(ctx context.Context, changes []change, size int64) error {
	began := time.Now()
	err := r.store.Update(ctx, func(tx PurgeTx) error {
		list, err := tx.Holds(ctx)
		if err != nil {
			return err
		}
		if !maps.Equal(r.holdsOf(list), r.held) {
			return errHeld
		}
		for _, c := range changes {
			if c.purged == PurgedNone {
				continue
			}
			if err := tx.Change(ctx, c.row()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.store.Wrote(size)
	return Pause(ctx, min(max(2*time.Since(began), time.Millisecond), 100*time.Millisecond))
}

// Pause waits, unless the context ends before.
func Pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("purging: %w", ctx.Err())
	}
}

// holdsOf returns the issuers that are held, by a hold or by the request.
func (r *purge) holdsOf(list []audit.Hold) audit.Holds {
	held := make(audit.Holds, len(list)+len(r.request.Held))
	for _, hold := range list {
		held[hold.Cuit] = true
	}
	for _, cuit := range r.request.Held {
		held[cuit] = true
	}
	return held
}
