package today

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/fielato/fielato/caddymodule/internal/console/site"
	"github.com/fielato/fielato/caddymodule/internal/tally"
	"github.com/fielato/fielato/internal/panics"
)

const (
	// freshFor is how long the counts serve other readers.
	freshFor = 2 * time.Second
	// waitFor is how long a page waits for the counts. After that it shows how much was read so far.
	waitFor = 1500 * time.Millisecond
	// maxDays bounds the days that are kept: as many as a page of causes has, and one more. Each takes as much as tally.MaxKept allows, 20 MB at most, and
	// normally some hundred kilobytes.
	maxDays = maxSpan + 1
)

// room keeps the counts of a few days for all readers. It brings them forward in the background, one goroutine
// a day at a time, which ends with the configuration at the latest.
type room struct {
	*site.Site
	// patience is how long a page waits for its counts.
	patience time.Duration

	mu   sync.Mutex // guards days
	days map[string]*day
	uses uint64
}

// day has the counts of a day, one tally for each source.
type day struct {
	since time.Time
	used  uint64 // guarded by room.mu

	mu      sync.Mutex   // guards what follows
	tallies []*tally.Day // in the order of the sources
	// reading is closed when the reading that goes on ends; nil if there is none.
	reading chan struct{}
	// made is when the newest whole reading began, and err why the newest reading has failed.
	made time.Time
	err  error
}

// dayOf returns the counts of a day. It forgets those that nobody has asked for longest.
func (m *room) dayOf(name string, since time.Time) *day {
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.days[name]
	if d == nil {
		if len(m.days) >= maxDays {
			oldest := ""
			for other, one := range m.days {
				if oldest == "" || one.used < m.days[oldest].used {
					oldest = other
				}
			}
			delete(m.days, oldest)
		}
		d = &day{since: since}
		m.days[name] = d
	}
	m.uses++
	d.used = m.uses
	return d
}

// refresh brings days forward in the background, one after the other, unless they are fresh, and waits some time for
// that.
func (m *room) refresh(ctx context.Context, days ...*day) error {
	wait := time.NewTimer(m.patience)
	defer wait.Stop()
	for _, d := range days {
		reading := d.begin(m)
		if reading == nil {
			continue
		}
		select {
		case <-reading:
		case <-wait.C:
			return nil // the page says how much was read
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := d.failed(); err != nil {
			return err
		}
	}
	return nil
}

// failed returns why the newest reading has failed.
func (d *day) failed() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// begin starts a reading, unless one goes on or is not needed: then it returns nil.
func (d *day) begin(m *room) <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := m.Now()
	switch {
	case d.reading != nil:
		return d.reading
	case d.err == nil && !d.made.IsZero() && now.Sub(d.made) < freshFor:
		return nil
	}
	reading := make(chan struct{})
	d.reading = reading
	go func() {
		err := panics.Do("counting a day", func() error { return m.read(d) })
		d.mu.Lock()
		defer d.mu.Unlock()
		switch {
		case err == nil:
			d.made = now
		case errors.Is(err, context.Canceled): // the configuration ends: the page says how much was read
			err = nil
		}
		d.err = err
		d.reading = nil
		close(reading)
	}()
	return reading
}

// read brings the day forward in all sources.
func (m *room) read(d *day) error {
	ctx := untilClosed{context.Background(), m.Ending}
	err := m.ReadWhole(ctx, func(sources []site.Source) error {
		for i := range sources {
			if err := d.tally(sources, i).Follow(ctx, sources[i].Store, sources[i].Logs); err != nil {
				return err
			}
		}
		return nil
	})
	if ended := ctx.Err(); err != nil && ended != nil {
		return ended // a store may word it in its own way
	}
	return err
}

// tally returns the counts of a source.
func (d *day) tally(sources []site.Source, i int) *tally.Day {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.tallies) <= i {
		one := tally.NewDay(d.since)
		one.Mark = sources[len(d.tallies)].Key("")
		d.tallies = append(d.tallies, one)
	}
	return d.tallies[i]
}

// shown is a day for a reader.
type shown struct {
	*tally.View
	tally.Progress
	// whole: everything of the day was read. made is when that began.
	whole bool
	made  time.Time
}

// show returns the counts for a reader, and nothing of other issuers.
func (d *day) show(scope site.Scope) *shown {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.progress()
	s.View = tally.ViewOf(d.tallies, scope.Sees)
	return s
}

// progress returns how much was read. The caller holds the lock.
func (d *day) progress() *shown {
	s := &shown{whole: d.reading == nil && d.err == nil && !d.made.IsZero(), made: d.made}
	for _, one := range d.tallies {
		p, whole := one.Progress()
		s.Read, s.Of, s.whole = s.Read+p.Read, s.Of+p.Of, s.whole && whole
	}
	return s
}

// untilClosed is a context that ends when a channel is closed, which is nil for never.
type untilClosed struct {
	context.Context
	closed <-chan struct{}
}

// Done implements context.Context.
func (c untilClosed) Done() <-chan struct{} { return c.closed }

// Err implements context.Context.
func (c untilClosed) Err() error {
	select {
	case <-c.closed:
		return context.Canceled
	default:
		return nil
	}
}
