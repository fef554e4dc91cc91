package site

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/fielato/fielato/caddymodule/internal/local"
	"github.com/fielato/fielato/caddymodule/internal/trail"
	"github.com/fielato/fielato/internal/panics"
)

const (
	// quietFor is how long a page refreshes itself no more until its reading is over.
	quietFor = 2 * time.Minute
	// recordEvery is after which time a reading that goes on is recorded again.
	recordEvery = time.Hour
	// maxReadings bounds the readings that go on. Of more, each refresh is recorded.
	maxReadings = 1000
)

// readings are the pages that are open and refresh themselves. A reading has a record when it begins, one each
// hour, and one when it ends, with the same ID and begin. If the process is killed, the newest of them stands: the
// begin is never lost, and the end is at most an hour too early.
type readings struct {
	mu   sync.Mutex // guards what follows, never while a record is written
	open map[readingKey]*openReading
	// tended: a goroutine looks for readings that are over. It ends with the last one, or with the configuration.
	tended bool
}

// readingKey says which refreshes are one reading.
type readingKey struct{ log, who, address, what string }

type openReading struct {
	key readingKey

	// mu guards what follows, and is held while a record of this reading is written: others go on meanwhile, as the
	// store may hang.
	mu   sync.Mutex
	read trail.Read
	id   string // empty before the begin is recorded
	// over: it is not among the open ones any more.
	over           bool
	began, last    time.Time
	recorded, upTo time.Time
}

// noteAgain is note for a page that refreshes itself.
func (s *Site) noteAgain(r *http.Request, source Source, what string) error {
	read, err := s.reading(r, source, what)
	if err != nil || read == nil {
		return err
	}
	key := readingKey{read.Log, read.Who, local.Address(r), read.What}
	for {
		one := s.readingOf(key)
		if one == nil {
			return write(source.writer, read.Record(key.address, s.Now()))
		}
		if over, err := one.refresh(source.writer, read, s.Now()); !over {
			return err
		}
	}
}

// readingOf returns the open reading of a key, which it makes; nil if too many are open.
func (s *Site) readingOf(key readingKey) *openReading {
	s.readings.mu.Lock()
	defer s.readings.mu.Unlock()
	one := s.readings.open[key]
	if one != nil || len(s.readings.open) >= maxReadings {
		return one
	}
	if s.readings.open == nil {
		s.readings.open = map[readingKey]*openReading{}
	}
	one = &openReading{key: key}
	s.readings.open[key] = one
	s.tend()
	return one
}

// refresh notes a refresh, with a record if one is due. over: another reading has to take it.
func (o *openReading) refresh(to *trail.Trail, read *trail.Read, now time.Time) (over bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.over {
		return true, nil
	}
	if o.id != "" && now.Sub(o.last) > quietFor {
		if err := o.record(to, o.last); err != nil {
			return false, err
		}
		o.id = ""
	}
	if o.id != "" {
		if o.last = now; now.Sub(o.recorded) < recordEvery {
			return false, nil
		}
		o.recorded = now
		return false, o.record(to, now)
	}
	begin := read.Record(o.key.address, now)
	if err := write(to, begin); err != nil {
		return false, err
	}
	o.read, o.id, o.began, o.last, o.recorded, o.upTo = *read, begin.ID, now, now, now, now
	return false, nil
}

// record records up to when the reading has gone on, unless that is recorded already. The caller holds mu.
func (o *openReading) record(to *trail.Trail, until time.Time) error {
	if !until.After(o.upTo) {
		return nil
	}
	record := o.read.Record(o.key.address, o.began)
	record.ID, record.Duration = o.id, until.Sub(o.began)
	o.upTo = until
	return write(to, record)
}

// tend starts to look for readings that are over. The caller holds the lock.
func (s *Site) tend() {
	if s.readings.tended {
		return
	}
	s.readings.tended = true
	go func() {
		_ = panics.Do("the end of readings", func() error { // it is logged
			ticks := time.NewTicker(quietFor / 2)
			defer ticks.Stop()
			for more := true; more; {
				select {
				case <-ticks.C:
					more = s.endReadings(quietFor)
				case <-s.Ending:
					s.endReadings(0)
					more = false
				}
			}
			return nil
		})
	}()
}

// endReadings records the end of readings that have been quiet for longer, and reports whether any are left. One
// that cannot be recorded is given up: its begin is on record.
func (s *Site) endReadings(quiet time.Duration) (more bool) {
	s.readings.mu.Lock()
	all := slices.Collect(maps.Values(s.readings.open))
	s.readings.mu.Unlock()
	err := s.ReadWhole(context.Background(), func(sources []Source) error {
		for _, one := range all {
			s.endReading(one, quiet, sources)
		}
		return nil
	})
	s.readings.mu.Lock()
	defer s.readings.mu.Unlock()
	if err != nil {
		s.Logger.Warn("the ends of readings could not be recorded", zap.Int("readings", len(s.readings.open)), zap.Error(err))
		clear(s.readings.open)
	}
	s.readings.tended = len(s.readings.open) > 0
	return s.readings.tended
}

// endReading ends a reading that has been quiet for longer.
func (s *Site) endReading(one *openReading, quiet time.Duration, sources []Source) {
	one.mu.Lock()
	defer one.mu.Unlock()
	if quiet > 0 && s.Now().Sub(one.last) <= quiet {
		return
	}
	one.over = true
	s.readings.mu.Lock()
	delete(s.readings.open, one.key)
	s.readings.mu.Unlock()
	for i := range sources {
		if to := sources[i].writer; to != nil && to.Log == one.key.log {
			if err := one.record(to, one.last); err != nil {
				s.Logger.Error("the end of a reading could not be recorded", zap.String("who", one.key.who), zap.Error(err))
			}
			return
		}
	}
}
