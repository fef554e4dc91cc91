package tally

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/fielato/fielato/audit"
	"github.com/fielato/fielato/caddymodule/internal/damage"
)

// Read calls add with each record of these logs that matches the query, newest first. The records have no
// content. An intent that another one of the logs has settled is left out where the query finds its settlement: it is
// one exchange. Read stops at the first error.
func Read(ctx context.Context, store audit.Store, logs []string, query audit.Query, add func(*audit.Record) error) error {
	query.SummaryOnly = true
	once := func(r *audit.Record) error {
		if r.Kind == audit.KindIntent && query.Kind != audit.KindIntent {
			settlement, err := audit.SettlementElsewhere(ctx, store, logs, r)
			if err != nil || settlement != nil && query.Matches(settlement, nil) {
				return err
			}
		}
		return add(r)
	}
	return read(audit.SearchLogs(ctx, store, logs, query), once, nil)
}

// read calls add with each record that was found, and broken with each part that cannot be read; nil for an error.
func read(found iter.Seq2[*audit.Record, error], add func(*audit.Record) error, broken func(*damage.Error)) error {
	for record, err := range found {
		var flaw *damage.Error
		if broken != nil && errors.As(err, &flaw) {
			broken(flaw)
			continue
		}
		if err == nil {
			err = add(record)
		}
		if err != nil {
			return fmt.Errorf("counting: %w", err)
		}
	}
	return nil
}

// read is read in a log, with the content if the query asks for it. What cannot be read is counted.
func (d *Day) read(ctx context.Context, store audit.Store, log string, query audit.Query, add func(*audit.Record) error) error {
	query.Log = log
	return read(damage.Search(ctx, store, query), add, d.addFlaw)
}

// logState is how far a log was read: all records before end, except for those with from <= index < low.
type logState struct {
	from, low, end uint64
	// answered is the index before which all reasons were read that only answers have. wantsAnswers are the outcomes
	// of the records behind it that have such, and of each the index from which on they were read.
	answered     uint64
	wantsAnswers map[audit.Outcome]uint64
	// settlements is the index before which settlements of any day were read.
	settlements uint64
	// first is about where the day begins.
	first uint64
}

// Progress is how much of a day was read, in records.
type Progress struct{ Read, Of uint64 }

// Progress returns how much was read, and whether the counts cover the whole day.
func (d *Day) Progress() (p Progress, whole bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.logs {
		first := min(s.first, s.end)
		p.Of += s.end - first
		p.Read += s.end - first - (max(s.low, first) - max(min(s.from, s.low), first))
	}
	return p, d.whole && !d.overfull
}

// Follow reads what was not read yet of these logs. What was read before an error stays: the next Follow goes
// on there. It must not run twice at a time.
func (d *Day) Follow(ctx context.Context, store audit.Store, logs []string) error {
	d.mu.Lock()
	d.whole = false
	d.mu.Unlock()
	if err := d.lookForPurges(ctx, store, logs); err != nil {
		return err
	}
	for _, log := range logs { // all first: Progress is about all of them
		if err := d.extend(ctx, store, log); err != nil {
			return err
		}
	}
	for _, log := range logs {
		if err := d.followLog(ctx, store, log); err != nil {
			return err
		}
	}
	if err := d.followSettlements(ctx, store, logs); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.whole = true
	return nil
}

// smallLog is the size of a log up to which it is read at once, so that nobody needs to know how much is left.
const smallLog = 50_000

// extend begins with what came to a log since it was read, unless something older is left.
func (d *Day) extend(ctx context.Context, store audit.Store, log string) error {
	d.mu.Lock()
	s := d.logs[log]
	d.mu.Unlock()
	if s != nil && (s.low > s.from || len(s.wantsAnswers) > 0) {
		return nil
	}
	head, err := store.Head(ctx, log)
	if err != nil {
		return fmt.Errorf("reading the head of log %s: %w", log, err)
	}
	var first uint64
	if s == nil {
		if first, err = d.locate(ctx, store, log, head.Size); err != nil {
			return err
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if s == nil {
		s = &logState{first: first, wantsAnswers: map[audit.Outcome]uint64{}}
		d.logs[strings.Clone(log)] = s
	}
	s.from, s.low, s.end = s.end, head.Size, head.Size
	return nil
}

// locate returns about where the day begins, for Progress. Records lie nearly in the order of their time.
func (d *Day) locate(ctx context.Context, store audit.Store, log string, size uint64) (uint64, error) {
	if size <= smallLog {
		return 0, nil
	}
	low, high := uint64(0), size
	for low < high {
		middle := (low + high) / 2
		r, err := store.Get(ctx, log, middle)
		if err != nil && !damage.Is(err) {
			return 0, fmt.Errorf("looking for the first record of the day: %w", err)
		}
		if err != nil || r.Time.Before(d.Since) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, nil
}

// followLog reads the rest of a log.
func (d *Day) followLog(ctx context.Context, store audit.Store, log string) error {
	s := d.logs[log] // its other writers have the lock, and there is one Follow
	if s.low > s.from {
		query := audit.Query{Since: d.Since, Until: d.Until, From: s.from, Before: s.low, SummaryOnly: true}
		err := d.read(ctx, store, log, query, func(r *audit.Record) error {
			if err := d.add(ctx, store, r); err != nil {
				return err
			}
			d.mu.Lock()
			defer d.mu.Unlock()
			s.low = r.Index
			return nil
		})
		if err != nil {
			return err
		}
		d.mu.Lock()
		s.low = s.from
		d.mu.Unlock()
	}
	for _, outcome := range reasoned {
		if before, wanted := s.wantsAnswers[outcome]; !wanted || before == s.answered {
			delete(s.wantsAnswers, outcome)
			continue
		}
		query := audit.Query{Since: d.Since, Until: d.Until, From: s.answered, Before: s.wantsAnswers[outcome], Outcome: outcome}
		err := d.read(ctx, store, log, query, func(r *audit.Record) error {
			if err := d.addReasons(ctx, store, r); err != nil {
				return err
			}
			s.wantsAnswers[outcome] = r.Index
			return nil
		})
		if err != nil {
			return err
		}
		delete(s.wantsAnswers, outcome)
	}
	s.answered = s.end
	return nil
}

// lookForPurges forgets everything if something was purged since the day was read: a code that is gone from the
// trail does not stay here.
func (d *Day) lookForPurges(ctx context.Context, store audit.Store, logs []string) error {
	for _, log := range logs {
		s := d.logs[log]
		if s == nil {
			continue
		}
		purged := false
		query := audit.Query{Kind: audit.KindAccess, From: s.end, SummaryOnly: true}
		err := d.read(ctx, store, log, query, func(r *audit.Record) error {
			purged = purged || r.Purge != nil
			return nil
		})
		if err != nil {
			return err
		}
		if purged {
			d.mu.Lock()
			d.reset()
			d.mu.Unlock()
			return nil
		}
	}
	return nil
}

// followSettlements reads the settlements that stand in the log of another gateway, which may have come long
// after the day.
func (d *Day) followSettlements(ctx context.Context, store audit.Store, logs []string) error {
	if len(logs) < 2 {
		return nil
	}
	for _, log := range logs {
		s := d.logs[log]
		query := audit.Query{Kind: audit.KindSettlement, Since: d.Since, From: s.settlements, Before: s.end, SummaryOnly: true}
		if s.settlements >= s.end {
			continue
		}
		if err := d.read(ctx, store, log, query, func(r *audit.Record) error { return d.settle(ctx, store, r) }); err != nil {
			return err
		}
		s.settlements = s.end
	}
	return nil
}
