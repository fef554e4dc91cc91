package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fielato/fielato/audit"
)

const (
	// purgeBytes is how much content one transaction takes away: what a gateway may have
	// to wait for.
	purgeBytes = 256 << 10
	// purgeRows is how many segments are looked at between two transactions.
	purgeRows = 64
	// purgeCheckpoint is how much is written between two checkpoints.
	purgeCheckpoint = 4 << 20
)

// purge is one run of Purge. It goes through the log from the start each time and passes
// over what was done before, so that a run that was cut off is finished by the next.
type purge struct {
	*Purger
	request audit.PurgeRequest
	cutoff  int64 // Before begins, in microseconds since 1970
	log     int64
	load    loader
	held    audit.Holds
	// live are the numbers of the data keys that are still needed, as far as the log was
	// looked at.
	live   map[int64]bool
	result audit.PurgeResult
	// written counts the bytes since the last checkpoint.
	written int64
}

// Purge implements audit.Purger.
func (p *Purger) Purge(ctx context.Context, request audit.PurgeRequest) (result audit.PurgeResult, err error) {
	exclusive, err := p.exclude(ctx)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, exclusive.release()) }()
	log, err := p.known(ctx, request.Log)
	if err != nil || log == 0 {
		return result, err
	}
	run := &purge{
		Purger: p, request: request, cutoff: request.Before.Start().UnixMicro(), log: log,
		load: loader{store: p.store, log: log, name: request.Log, from: p.store.readers}, live: map[int64]bool{},
	}
	err = run.all(ctx)
	return run.result, err
}

func (r *purge) all(ctx context.Context) error {
	if r.request.Progress == nil {
		r.request.Progress = func(audit.PurgeResult) {}
	}
	spans, err := r.spans(ctx)
	if err != nil {
		return err
	}
	next := int64(0)
	for _, span := range spans {
		if next, err = r.erase(ctx, span); err != nil {
			return err
		}
	}
	if err := r.destroyKeys(ctx, next); err != nil || r.request.DryRun {
		return err
	}
	return r.emptyLog(ctx)
}

// spans returns where there may be records of earlier periods, as ids of segments. The
// last one has no end: there is always more to come.
func (r *purge) spans(ctx context.Context) (spans []idSpan, err error) {
	rows, err := r.store.readers.QueryContext(ctx, "SELECT first, next, oldest FROM blocks WHERE log = ? ORDER BY first", r.log)
	if err != nil {
		return nil, explain(r.store.path, "reading", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	add := func(first, next uint64) {
		from, to := segmentID(r.log, first), segmentID(r.log, next)
		if n := len(spans); n > 0 && spans[n-1].end == from {
			spans[n-1].end = to
			return
		}
		spans = append(spans, idSpan{from, to})
	}
	indexed := uint64(0)
	for rows.Next() {
		var first uint64
		var oldest int64
		if err := rows.Scan(&first, &indexed, &oldest); err != nil {
			return nil, explain(r.store.path, "reading", err)
		}
		if oldest < r.cutoff {
			add(first, indexed)
		}
	}
	add(indexed, maxIndex)
	return spans, rows.Err()
}

// idSpan is a range of segments: begin <= id < end.
type idSpan struct{ begin, end int64 }

// erase removes what is due from the segments of a span, some at a time, and returns
// the id from which on nothing was looked at.
func (r *purge) erase(ctx context.Context, in idSpan) (next int64, err error) {
	for next = in.begin; ; {
		rows, err := r.rows(ctx, next, in.end)
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
		next = rows[done-1].id + 1
		r.request.Progress(r.result)
	}
}

// step plans and makes one transaction. It returns how many of the rows it has dealt
// with: one at least.
func (r *purge) step(ctx context.Context, rows []purgeRow) (done int, err error) {
	list, err := r.Holds(ctx)
	if err != nil {
		return 0, err
	}
	r.held = holdsOf(list)
	var changes []change
	size := int64(0)
	for _, row := range rows {
		c, err := r.plan(ctx, row)
		if err != nil {
			return 0, fmt.Errorf("segment %d of %s: %w", row.id, r.store.path, err)
		}
		changes, done = append(changes, c), done+1
		if size += c.writes; size >= purgeBytes {
			break
		}
	}
	if size > 0 && !r.request.DryRun {
		if err := r.paced(ctx, size, func() error {
			return r.underHolds(ctx, r.held, func() error { return r.apply(ctx, changes) })
		}); err != nil {
			return 0, err
		}
	}
	for _, c := range changes {
		r.took(c)
	}
	return done, nil
}

// took adds a change to the counts.
func (r *purge) took(c change) {
	r.result.Bytes += c.freed
	for period, count := range c.counts {
		r.result.Count(period, count.Purged, count.Held)
	}
	if c.key.Valid && c.purged != purgedAll {
		r.live[c.key.Int64] = true
	}
}

func (r *purge) apply(ctx context.Context, changes []change) error {
	for _, c := range changes {
		var err error
		switch c.purged {
		case purgedAll:
			_, err = r.conn.ExecContext(ctx, "UPDATE segments SET purged = 1, key = NULL, content = x'' WHERE id = ?", c.id)
		case purgedSome:
			_, err = r.conn.ExecContext(ctx, "UPDATE segments SET purged = 2, content = ? WHERE id = ?", c.content, c.id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// paced does something that keeps the gateway from writing, and then stays away for
// twice as long, so that records that wait come first.
func (r *purge) paced(ctx context.Context, size int64, do func() error) error {
	began := time.Now()
	if err := do(); err != nil {
		return err
	}
	if r.written += size; r.written >= purgeCheckpoint {
		r.written = 0
		checkpoint(r.conn, "PASSIVE")
	}
	return pause(ctx, min(max(2*time.Since(began), time.Millisecond), 100*time.Millisecond))
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("purging: %w", ctx.Err())
	}
}

// destroyKeys destroys the data keys of earlier periods with which nothing is sealed any
// more. Segments from next on were not looked at, so they are now, in the transaction: a
// writer that comes after it finds that the key is gone (see Commit).
func (r *purge) destroyKeys(ctx context.Context, next int64) error {
	return r.update(ctx, func() (err error) {
		keys, err := r.numbers(ctx, "SELECT DISTINCT key FROM segments WHERE id >= ? AND id < ? AND key IS NOT NULL",
			next, segmentID(r.log, maxIndex))
		if err != nil {
			return err
		}
		for _, key := range keys {
			r.live[key] = true
		}
		if keys, err = r.numbers(ctx, "SELECT id FROM data_keys WHERE log = ? AND period < ?", r.log, r.request.Before); err != nil {
			return err
		}
		for _, key := range keys {
			if r.live[key] {
				continue
			}
			r.result.Keys++
			if r.request.DryRun {
				continue
			}
			if _, err := r.conn.ExecContext(ctx, "DELETE FROM data_keys WHERE id = ?", key); err != nil {
				return err
			}
		}
		return nil
	})
}

// numbers returns the one column of a query on the connection that writes.
func (r *purge) numbers(ctx context.Context, query string, args ...any) (all []int64, err error) {
	rows, err := r.conn.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, rows.Err()
}
